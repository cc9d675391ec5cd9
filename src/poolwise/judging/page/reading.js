// The document's text: shown as it is, searched, and with the topic's words marked when asked for.

const COMMON = new Set(
  ("about after also and are but can did does for from had has have how into its not off our that the their them then " +
    "there these they this was were what when where which who why will with you your").split(" "),
);

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const indent = (line) => /^[ \t]*/.exec(line)[0].length;

// Whether lines were laid out by hand, as code and tables are: two with gaps inside that end no sentence, or some that
// are set in further than the first.
function isLaidOut(part) {
  const lines = part.split("\n").filter((line) => line.trim());
  const gaps = lines.filter((line) => /\S(?:\t| {2,})\S/.test(line.trim().replace(/[.!?:;,]["'\u201d)\]]* {2,}/g, " ")));
  return gaps.length > 1 || lines.slice(1).some((line) => indent(line) > indent(lines[0]) + 1 || line.startsWith("\t"));
}

// Indentation and gaps stay as they are; what is laid out gets letters of one width. Each part has its own direction.
export function paragraphs(parent, text) {
  const parts = text
    .replace(/\r\n?/g, "\n")
    .split(/\n[^\S\n]*\n/)
    .map((part) => part.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd())
    .filter((part) => part);
  const laidOut = parts.map(isLaidOut);
  const some = laidOut.includes(true);
  parent.replaceChildren(
    ...parts.map((part, place) => {
      const made = document.createElement("p");
      made.textContent = part;
      made.dir = "auto";
      if (laidOut[place] || (some && part.split("\n").every((line) => indent(line)))) {
        made.className = "aligned";
        made.tabIndex = 0; // so that long lines can be moved by keys
      }
      return made;
    }),
  );
}

export function wordsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => (word.length > 2 || /\d/.test(word)) && !COMMON.has(word)))];
}

// A pattern of words, each with any ending; null for none.
export function wordPattern(words) {
  return words.length ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join("|")})[\\p{L}\\p{N}]*`, "giu") : null;
}

export function textPattern(text) {
  return text ? new RegExp(escaped(text), "giu") : null;
}

// Wrap what matches in marks; old ones of the same kind are taken away first. Returns the marks.
export function mark(parent, pattern, kind) {
  for (const old of parent.querySelectorAll(`mark.${kind}`)) old.replaceWith(...old.childNodes);
  parent.normalize();
  if (!pattern) return [];
  const texts = [];
  const walker = document.createTreeWalker(parent, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode);
  const marks = [];
  for (const node of texts) {
    const parts = [];
    let end = 0;
    for (const found of node.data.matchAll(pattern)) {
      if (!found[0]) continue;
      const made = document.createElement("mark");
      made.className = kind;
      made.textContent = found[0];
      parts.push(node.data.slice(end, found.index), made);
      marks.push(made);
      end = found.index + found[0].length;
    }
    if (parts.length) node.replaceWith(...parts, node.data.slice(end));
  }
  return marks;
}
