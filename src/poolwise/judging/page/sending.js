// Sending events: in order, once, and kept in this browser until the server has them on its disk.

const PATIENCE = 2500; // milliseconds after which the page moves on although the server has not answered
const LONGEST_WAIT = 10000;
const MOST = 100;

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

export class Sender {
  // `told` is called with every answer of the server, `refused` with what it would not keep, `state` when the number
  // of unsent events or the connection changes.
  constructor({ plan, name, query, last, told, refused, state }) {
    Object.assign(this, { query, last, told, refused, state });
    this.prefix = `poolwise:${plan}:${name}:`;
    this.tab = newId();
    this.count = 0;
    this.unsent = this.left(); // what other pages, or this one before it was loaded anew, could not send
    this.waiting = new Map();
    this.connected = true;
    this.flying = false;
    this.wait = 500;
    window.addEventListener("online", () => this.flush());
    window.addEventListener("beforeunload", (event) => {
      if (this.unsent.length && !this.stored) event.preventDefault();
    });
  }

  // Events that lie in this browser, oldest first.
  left() {
    const found = [];
    try {
      for (let place = 0; place < localStorage.length; place += 1) {
        const key = localStorage.key(place);
        if (key.startsWith(this.prefix)) found.push({ ...JSON.parse(localStorage.getItem(key)), key });
      }
      this.stored = true;
    } catch {
      this.stored = false;
    }
    return found.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  }

  // Send an event; resolves when it is on the server's disk, or when there is no connection and it is kept here.
  send(event) {
    this.count += 1;
    const key = `${this.prefix}${this.tab}:${String(this.count).padStart(6, "0")}`;
    const kept = { ...event, at: Date.now(), key };
    this.unsent.push(kept);
    try {
      localStorage.setItem(key, JSON.stringify(kept));
    } catch {
      this.stored = false;
    }
    const done = this.connected
      ? new Promise((resolve) => {
          this.waiting.set(event.id, resolve);
          setTimeout(resolve, PATIENCE);
        })
      : Promise.resolve();
    this.flush();
    return done;
  }

  async flush() {
    if (this.flying || !this.unsent.length) return;
    this.flying = true;
    const some = this.unsent.slice(0, MOST);
    const events = some.map(({ at, key, ...event }) => ({ ...event, age: Math.max(0, Date.now() - at) }));
    try {
      const response = await fetch(`events${this.query}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ events, after: this.last }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.error ?? response.statusText);
      this.taken(answer);
      this.online("");
    } catch (error) {
      this.online(error instanceof TypeError ? "no connection" : error.message);
    }
    this.flying = false;
    if (this.unsent.length) {
      if (this.connected) this.flush();
      else setTimeout(() => this.flush(), (this.wait = Math.min(2 * this.wait, LONGEST_WAIT)));
    }
  }

  taken(answer) {
    for (const { id, refused } of answer.said) {
      for (const event of this.unsent.filter((each) => each.id === id)) {
        try {
          localStorage.removeItem(event.key);
        } catch {
          // it was never there
        }
        if (refused) this.refused(event, refused);
      }
      this.unsent = this.unsent.filter((event) => event.id !== id);
      this.waiting.get(id)?.();
      this.waiting.delete(id);
    }
    this.last = Math.max(this.last, answer.last);
    this.told(answer);
  }

  online(wrong) {
    this.connected = !wrong;
    if (!wrong) this.wait = 500;
    else for (const resolve of this.waiting.values()) resolve();
    if (wrong) this.waiting.clear();
    this.state(this.unsent.length, wrong);
  }
}
