// Which key does what. Keys can be changed; a change is kept in this browser.

export const USUAL = {
  undo: ["u", "Backspace"],
  later: ["l"],
  cannot: ["c"],
  note: ["n"],
  unsure: ["s"],
  previous: ["ArrowLeft"],
  next: ["ArrowRight"],
  guidelines: ["g"],
  topic: ["t"],
  reading: ["r"],
  highlight: ["h"],
  find: ["/"],
  numbers: ["v"],
  values: ["e"],
  said: ["w"],
  help: ["?"],
};

export const WORDS = {
  undo: "Undo the last answer, again and again",
  later: "Later: it comes back at the end",
  cannot: "Cannot judge",
  note: "Write a note on the document",
  unsure: "Mark the next label as not sure",
  previous: "Look at the document before",
  next: "Look at the document after",
  guidelines: "Guidelines and what grades mean",
  topic: "Show less or all of the topic",
  reading: "Write down how you read the topic",
  highlight: "Mark the topic's words in the text",
  find: "Find in the text",
  numbers: "Show or hide how precise estimates are",
  values: "Show or hide the values of runs, which is recorded",
  said: "Show what was said before",
  help: "This list",
};

const SHOWN = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Backspace: "⌫", " ": "space", "-": "−" };
const PLACE = "poolwise:keys";

export function shown(key) {
  return SHOWN[key] ?? key;
}

export class Keys {
  constructor(grades) {
    this.usual = { ...USUAL };
    for (const grade of grades) this.usual[`grade ${grade.label}`] = [...grade.keys];
    this.own = {};
    try {
      this.own = JSON.parse(localStorage.getItem(PLACE)) ?? {};
    } catch {
      // no storage, or not ours: the usual keys serve
    }
  }

  of(action) {
    return this.own[action] ?? this.usual[action] ?? [];
  }

  // What a press means: an action, or a grade, perhaps not sure; null for nothing.
  meaning(press) {
    if (press.ctrlKey || press.metaKey || press.altKey) return null;
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(press.code)?.[1];
    for (const action of Object.keys(this.usual)) {
      for (const key of this.of(action)) {
        const grade = action.startsWith("grade ");
        if (press.key === key) return { action, unsure: false };
        if (!grade || !press.shiftKey) continue;
        // Shift with a digit gives another sign on most keyboards, so the key itself is asked; where it gives the
        // digit, as in France, that is the plain label, found above.
        if (key === digit || press.key.toLowerCase() === key) return { action, unsure: true };
      }
    }
    // Keyboards on which digits need Shift: the key without it is as good.
    if (digit !== undefined && !press.shiftKey && !/^\d$/.test(press.key) && press.key.length === 1) {
      const action = Object.keys(this.usual).find((name) => name.startsWith("grade ") && this.of(name).includes(digit));
      if (action) return { action, unsure: false };
    }
    return null;
  }

  // Give an action another key; says why not, if it cannot be.
  change(action, key) {
    const taken = Object.keys(this.usual).find((name) => name !== action && this.of(name).includes(key));
    if (taken) return `${shown(key)} is taken`;
    if (key === " " || key === "Tab" || key === "Enter" || key === "Escape") return "this key has its own use";
    this.own[action] = [key];
    this.keep();
    return "";
  }

  reset() {
    this.own = {};
    this.keep();
  }

  keep() {
    try {
      localStorage.setItem(PLACE, JSON.stringify(this.own));
    } catch {
      // kept for this page only
    }
  }
}
