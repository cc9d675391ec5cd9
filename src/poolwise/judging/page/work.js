// The work of one assessor: documents in order, answers so far, and what comes next. Knows nothing of the page.

export const ANSWERS = ["label", "cannot", "later"];

const keyOf = (item, again) => `${item}${again ? "+" : ""}`;

export class Work {
  constructor(start) {
    this.notes = { ...start.notes };
    this.readings = { ...start.readings };
    this.answers = new Map(); // key: answers in force, the last one counts
    this.history = []; // answers in force, in order
    this.seen = new Set(); // ids of events that are taken in
    this.setQueue(start);
    for (const event of start.history) this.take(event);
  }

  setQueue(start) {
    this.queue = start.queue.map(([item, again], place) => ({
      item,
      again: again === 1,
      key: keyOf(item, again),
      topic: start.topics[place],
      place,
    }));
    this.byKey = new Map(this.queue.map((entry) => [entry.key, entry]));
    this.front = 0; // all before it are answered
  }

  // Take in an event: [id, item, again, action, label, unsure, replaces, note]; one that is known changes nothing.
  take([id, item, again, action, label, unsure, replaces, note]) {
    if (this.seen.has(id)) return false;
    this.seen.add(id);
    if (action === "undo") this.drop(replaces);
    else if (action === "note") this.notes[item] = note ?? "";
    else if (action === "reading") this.readings[item] = note ?? "";
    else if (ANSWERS.includes(action)) {
      const answer = { id, key: keyOf(item, again), item, again: Boolean(again), action, label, unsure: Boolean(unsure) };
      if (!this.answers.has(answer.key)) this.answers.set(answer.key, []);
      this.answers.get(answer.key).push(answer);
      this.history.push(answer);
    }
    return true;
  }

  drop(id) {
    const place = this.history.findLastIndex((answer) => answer.id === id);
    if (place < 0) return;
    const [answer] = this.history.splice(place, 1);
    const own = this.answers.get(answer.key);
    own.splice(own.indexOf(answer), 1);
    this.front = Math.min(this.front, this.byKey.get(answer.key)?.place ?? 0);
  }

  answer(entry) {
    return this.answers.get(entry.key)?.at(-1) ?? null;
  }

  last() {
    return this.history.at(-1) ?? null;
  }

  // The first document without an answer; then those put off, in the order in which they were; then none.
  next(count = 1) {
    const found = [];
    while (this.front < this.queue.length && this.answer(this.queue[this.front])) this.front += 1;
    for (let place = this.front; place < this.queue.length && found.length < count; place += 1)
      if (!this.answer(this.queue[place])) found.push(this.queue[place]);
    if (found.length < count) {
      for (const answer of this.history) {
        const entry = this.byKey.get(answer.key);
        if (found.length < count && entry && answer.action === "later" && this.answer(entry) === answer) found.push(entry);
      }
    }
    return found;
  }

  // The document beside another one, in the order of the work.
  beside(entry, step) {
    return this.queue[(entry?.place ?? this.queue.length) + step] ?? null;
  }
}
