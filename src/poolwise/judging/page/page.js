// The page: shows a document, takes an answer, shows the next one.

import { Keys, WORDS, shown } from "./keys.js";
import { markdown } from "./markdown.js";
import { inOneLine, showNumbers } from "./numbers.js";
import { mark, paragraphs, textPattern, wordPattern, wordsOf } from "./reading.js";
import { Sender, newId } from "./sending.js";
import { Work } from "./work.js";

const AHEAD = 12; // documents that are fetched before they are needed
const KEPT = 200; // documents that are remembered
const NUMBERS_AFTER = 2500; // milliseconds from an answer to a look at the estimates
const NEWS_EVERY = 15000;

const at = (id) => document.getElementById(id);
const page = {
  start: null,
  work: null,
  sender: null,
  keys: null,
  texts: new Map(), // documents by number
  topics: new Map(),
  fetching: null,
  current: null, // the entry of the work that is in view; null when all is done
  busy: false,
  unsure: false,
  marked: false,
  since: 0, // when the document came into view
  away: 0, // milliseconds that the page was not in view since then
  hiddenAt: 0,
  channel: null,
  query: "",
  numbersAsked: 0,
};

// ---- Beginning ----------------------------------------------------------------------------------------------------

async function begin() {
  const name = recall("name");
  const answer = await ask(name === null ? "start" : `start?name=${encodeURIComponent(name)}`);
  if (answer.who || answer.error) return nameDialog(answer.error ?? "");
  return open(answer);
}

async function ask(where) {
  for (let wait = 500; ; wait = Math.min(2 * wait, 8000)) {
    try {
      const response = await fetch(where);
      if (response.status === 403) return { error: await response.text() };
      return await response.json();
    } catch {
      say("The server does not answer; trying again.");
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

function nameDialog(wrong) {
  at("begin-wrong").textContent = wrong;
  const dialog = at("begin");
  dialog.oncancel = (event) => event.preventDefault();
  dialog.querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    const name = at("name").value.trim();
    const answer = await ask(`start?name=${encodeURIComponent(name)}`);
    at("begin-wrong").textContent = answer.error ?? "";
    if (answer.error) return;
    remember("name", name);
    dialog.close();
    open(answer);
  };
  if (!dialog.open) dialog.showModal();
  at("name").focus();
}

function open(start) {
  page.start = start;
  page.work = new Work(start);
  page.keys = new Keys(start.grades);
  page.query = `?name=${encodeURIComponent(start.assessor)}`;
  page.sender = new Sender({
    plan: start.plan + (start.settle ? "-settle" : ""),
    name: start.assessor,
    query: page.query,
    last: start.last,
    told,
    refused: (event, reason) => say(`Not kept: ${reason}`),
    state: showState,
  });
  for (const event of page.sender.unsent) page.work.take(brief(event));
  if ("BroadcastChannel" in window) {
    page.channel = new BroadcastChannel(page.sender.prefix);
    page.channel.onmessage = (message) => takeNews(message.data);
  }
  document.title = `${start.title}: judging`;
  document.body.dataset.ready = "yes";
  at("topic-actions").hidden = at("bottom").hidden = false;
  button("guidelines").hidden = !start.guidelines && !start.grades.some((grade) => grade.description);
  button("numbers").hidden = !start.scores;
  for (const name of ["later", "cannot"]) button(name).hidden = start.settle;
  fillGuidelines();
  makeGrades();
  labelKeys();
  showPanel(start.scores && recall("numbers") !== "no");
  page.sender.flush();
  showState(page.sender.unsent.length, "");
  progress(start.progress);
  if (start.guidelines && !start.history.length) at("guidelines").showModal();
  go(page.work.next()[0] ?? null);
  setInterval(news, NEWS_EVERY);
}

// ---- Showing ------------------------------------------------------------------------------------------------------

function go(entry) {
  page.current = entry;
  page.busy = false;
  setUnsure(false);
  closeFind();
  prefetch();
  show();
}

function show() {
  const entry = page.current;
  document.body.dataset.item = entry ? entry.key : "";
  at("topic-actions").hidden = button("note").hidden = !entry;
  if (!entry) return showEnd();
  const text = page.texts.get(entry.item);
  if (!text) {
    paragraphs(at("text"), "");
    at("title").textContent = page.sender.connected ? "" : "This document is not here yet; it comes when the server is back.";
    at("title").hidden = page.sender.connected;
    return;
  }
  showTopic(text.topic);
  showDocument(text);
  showStanding();
  page.since = performance.now();
  page.away = 0;
  if (document.hidden) page.hiddenAt = page.since;
  window.scrollTo(0, 0);
  at("document").focus({ preventScroll: true });
  document.body.dataset.shown = entry.key;
}

function showDocument(text) {
  const found = text.shown;
  at("document").classList.toggle("missing", !found);
  at("title").textContent = found ? found.title : text.id;
  at("title").hidden = found !== null && !found.title;
  const link = at("url");
  link.replaceChildren();
  if (found?.url) {
    const anchor = document.createElement("a");
    Object.assign(anchor, { href: found.url, target: "_blank", rel: "noopener noreferrer", textContent: found.url });
    link.append(anchor);
  }
  paragraphs(at("text"), found ? found.text : "No text was found for this document.");
  at("images").replaceChildren(
    ...(found?.images ?? []).map((source) => Object.assign(document.createElement("img"), { src: source, alt: "", loading: "lazy" })),
  );
  at("more").replaceChildren(
    ...Object.entries(found?.more ?? {}).flatMap(([name, value]) => [
      Object.assign(document.createElement("dt"), { textContent: name }),
      Object.assign(document.createElement("dd"), { textContent: value, dir: "auto" }),
    ]),
  );
  const said = at("said-before");
  said.hidden = !text.said.length;
  said.open = false;
  said.querySelector("ul").replaceChildren(
    ...text.said.map((words) => Object.assign(document.createElement("li"), { textContent: words, dir: "auto" })),
  );
  if (page.marked) markWords();
}

function showTopic(name) {
  const topic = page.topics.get(name) ?? { title: name, description: "", narrative: "" };
  if (document.body.dataset.topic !== name) document.body.dataset.topic = name;
  at("topic-title").textContent = topic.title || name;
  at("description").textContent = topic.description;
  at("description").hidden = !topic.description;
  paragraphs(at("narrative"), topic.narrative);
  const long = Boolean(topic.narrative);
  const folded = recall("topic") === "less";
  at("narrative").hidden = !long || folded;
  button("topic").hidden = !long;
  button("topic").setAttribute("aria-expanded", String(!folded));
  setWords(button("topic"), folded ? "More" : "Less");
  const reading = page.work.readings[name] ?? "";
  at("read-as").textContent = reading ? `I read it as: ${reading}` : "";
  at("read-as").hidden = !reading;
}

function showStanding() {
  const answer = page.current ? page.work.answer(page.current) : null;
  for (const made of at("grades").children) {
    const chosen = answer?.action === "label" && Number(made.dataset.label) === answer.label;
    made.setAttribute("aria-pressed", String(chosen));
  }
  const words = { cannot: "You could not judge this document.", later: "You put this document off." };
  const label = answer?.action === "label" ? `You labelled this document ${answer.label}${answer.unsure ? ", not sure" : ""}.` : "";
  at("standing").textContent = answer ? (words[answer.action] ?? label) : "";
  const note = page.current ? (page.work.notes[page.current.item] ?? "") : "";
  at("own-note").textContent = note ? `Note: ${note}` : "";
  at("own-note").hidden = !note;
}

function showEnd() {
  document.body.dataset.shown = "end";
  at("document").classList.remove("missing");
  at("topic-title").textContent = page.work.queue.length ? "All done. Thank you." : "There is nothing to judge for you.";
  for (const id of ["url", "images", "more"]) at(id).replaceChildren();
  for (const id of ["title", "description", "narrative", "read-as", "said-before", "own-note"]) at(id).hidden = true;
  const done = page.start.settle ? "Every disagreement is settled." : "Every document of yours has an answer.";
  const more = `Undo takes the last one back, ${page.keys.of("previous").map(shown)[0]} looks at those before.`;
  paragraphs(at("text"), page.work.queue.length ? `${done} ${more}` : "Others may have it all.");
  showStanding();
  at("document").focus({ preventScroll: true });
}

function progress(told) {
  const own = told.done + told.left;
  const share = own ? told.done / own : 0;
  const bar = at("progress");
  bar.setAttribute("aria-valuemax", String(own));
  bar.setAttribute("aria-valuenow", String(told.done));
  bar.firstElementChild.style.width = `${100 * share}%`;
  const timed = told.usual && told.left;
  const parts = [
    [`${told.done} of ${own}${page.start.settle ? " settled" : ""}`, ""],
    [timed ? `${seconds(told.usual)} per label` : "", "more"],
    [timed ? `about ${minutes(told.usual * told.left)} left` : "", ""],
    [told.all > own ? `all of us ${told.all_done} of ${told.all}` : "", "more"],
  ];
  at("counts").replaceChildren(
    ...parts
      .filter(([words]) => words)
      .map(([words, className], place) => Object.assign(document.createElement("span"), { className, textContent: `${place ? " · " : ""}${words}` })),
  );
}

const seconds = (time) => `${(time / 1000).toFixed(time < 10000 ? 1 : 0)} s`;

function minutes(time) {
  const whole = Math.max(1, Math.round(time / 60000));
  return whole < 90 ? `${whole} min` : `${Math.round(whole / 6) / 10} h`;
}

function showState(unsent, wrong) {
  document.body.dataset.connected = wrong ? "no" : "yes";
  document.body.dataset.unsent = String(unsent);
  const count = `${unsent} answer${unsent === 1 ? " is" : "s are"} kept in this browser`;
  at("unsent").textContent = wrong ? `Not connected${unsent ? `: ${count} and will be sent` : ""} (${wrong})` : "";
  if (!wrong && page.current && !page.texts.has(page.current.item)) prefetch();
}

// How high the grades stand depends on their number and on the window.
function putAboveGrades(box) {
  box.style.bottom = `${at("bottom").offsetHeight + 12}px`;
}

function say(words) {
  at("spoken").textContent = "";
  at("spoken").textContent = words;
  putAboveGrades(at("spoken"));
  at("spoken").classList.add("seen");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => at("spoken").classList.remove("seen"), 4000);
}

// ---- Documents ----------------------------------------------------------------------------------------------------

async function prefetch() {
  if (page.fetching) return;
  const wanted = [page.current, ...page.work.next(AHEAD), page.current && page.work.beside(page.current, -1)];
  const missing = [...new Set(wanted.filter(Boolean).map((entry) => entry.item))].filter((item) => !page.texts.has(item));
  const urgent = page.current && !page.texts.has(page.current.item);
  if (!missing.length || (!urgent && missing.length < AHEAD / 2 && wanted.length > AHEAD)) return;
  page.fetching = true;
  try {
    const response = await fetch(`documents${page.query}&items=${missing.slice(0, 20).join(",")}`);
    const answer = await response.json();
    for (const [name, topic] of Object.entries(answer.topics ?? {})) page.topics.set(name, topic);
    for (const [item, text] of Object.entries(answer.documents ?? {})) page.texts.set(Number(item), text);
    for (const item of page.texts.keys()) {
      if (page.texts.size <= KEPT) break;
      if (item !== page.current?.item) page.texts.delete(item);
    }
  } catch {
    setTimeout(prefetch, 1500);
  }
  page.fetching = false;
  if (urgent && page.current && page.texts.has(page.current.item)) show();
  else if (page.current && !page.texts.has(page.current.item) && page.sender.connected) setTimeout(prefetch, 200);
}

// ---- Answering ----------------------------------------------------------------------------------------------------

function brief(event) {
  const subject = event.action === "reading" ? event.topic : event.item;
  return [event.id, subject, event.again ? 1 : 0, event.action, event.label ?? null, event.unsure ? 1 : 0, event.replaces ?? null, event.note ?? null];
}

function viewed() {
  const now = performance.now();
  const away = page.away + (document.hidden ? now - page.hiddenAt : 0);
  return Math.max(0, Math.round(now - page.since - away));
}

async function answer(action, label = null, unsure = false) {
  const entry = page.current;
  if (!entry || page.busy || !page.texts.has(entry.item)) return;
  const before = page.work.answer(entry);
  const event = { id: newId(), action, item: entry.item, again: entry.again, milliseconds: viewed() };
  if (action === "label") Object.assign(event, { label, unsure: unsure || page.unsure });
  if (before) event.replaces = before.id;
  await act(event);
  const words = { later: "Put off.", cannot: "Cannot be judged." };
  say(words[action] ?? `${label}${event.unsure ? ", not sure" : ""}.`);
  go(page.work.next()[0] ?? null);
}

// Take an event in, and wait until it is safe.
async function act(event) {
  page.busy = true;
  page.work.take(brief(event));
  await page.sender.send(event);
  page.channel?.postMessage([brief(event)]);
  page.busy = false;
}

async function undo() {
  const last = page.work.last();
  if (!last || page.busy) return;
  const entry = page.work.byKey.get(last.key);
  await act({ id: newId(), action: "undo", replaces: last.id, item: last.item, again: last.again });
  say("Taken back.");
  if (entry) go(entry);
}

function browse(step) {
  const entry = page.work.beside(page.current, step);
  if (entry && !page.busy) go(entry);
  else if (step > 0 && !page.busy) go(page.work.next()[0] ?? null);
}

function write(title, label, text, keep) {
  const dialog = at("writing");
  at("writing-title").textContent = title;
  at("writing-label").textContent = label;
  const field = at("written");
  field.value = text;
  field.onkeydown = (press) => {
    if (press.key === "Enter" && !press.shiftKey && !press.isComposing) {
      press.preventDefault();
      dialog.querySelector("form").requestSubmit();
    }
  };
  dialog.querySelector("form").onsubmit = () => keep(field.value.trim());
  dialog.showModal();
  field.focus();
}

function note() {
  const entry = page.current;
  if (!entry) return;
  write("Note", "What should be known of this document?", page.work.notes[entry.item] ?? "", async (text) => {
    await act({ id: newId(), action: "note", item: entry.item, note: text });
    showStanding();
  });
}

function reading() {
  const topic = page.texts.get(page.current?.item)?.topic;
  if (topic === undefined) return;
  const now = page.work.readings[topic] ?? "";
  write("How I read this topic", "What makes a document relevant to you?", now, async (text) => {
    await act({ id: newId(), action: "reading", topic, note: text });
    showTopic(topic);
  });
}

// ---- News from elsewhere ------------------------------------------------------------------------------------------

function told(answer) {
  takeNews(answer.news);
  progress(answer.progress);
  if (answer.dealt !== page.start.dealt) dealtAnew();
  clearTimeout(told.timer);
  told.timer = setTimeout(numbers, NUMBERS_AFTER);
}

function takeNews(events) {
  const changed = events.filter((event) => page.work.take(event));
  if (!changed.length) return;
  const entry = page.current;
  if (entry && !page.busy && changed.some((event) => event[1] === entry.item && event[3] !== "note") && page.work.answer(entry)) {
    go(page.work.next()[0] ?? null); // it was answered in another tab
  } else if (!entry) go(page.work.next()[0] ?? null);
  else if (page.texts.has(entry.item)) showStanding();
}

async function dealtAnew() {
  const start = await ask(`start${page.query}`);
  if (start.error) return;
  page.start = start;
  page.work.setQueue(start);
  for (const event of start.history) page.work.take(event);
  if (!page.current) go(page.work.next()[0] ?? null);
  else page.current = page.work.byKey.get(page.current.key) ?? page.current;
}

async function news() {
  if (document.hidden || page.sender.unsent.length) return;
  try {
    const response = await fetch(`events${page.query}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ events: [], after: page.sender.last }),
    });
    if (response.ok) {
      page.sender.taken(await response.json());
      page.sender.online("");
    }
  } catch {
    page.sender.online("no connection");
  }
}

// ---- Estimates ----------------------------------------------------------------------------------------------------

async function numbers() {
  if (!page.start.scores || at("numbers").hidden) return;
  try {
    const response = await fetch(`numbers${page.query}`);
    const answer = await response.json();
    showNumbers(at("estimates"), answer.numbers);
    at("numbers-line").textContent = inOneLine(answer.numbers);
    showValues(answer.numbers.values);
    clearTimeout(told.timer);
    if (answer.numbers.busy || !answer.numbers.found) told.timer = setTimeout(numbers, NUMBERS_AFTER);
  } catch {
    // the next answer asks again
  }
}

function showPanel(open) {
  at("numbers").hidden = !open;
  button("numbers").setAttribute("aria-pressed", String(open));
  document.body.classList.toggle("with-numbers", open);
  if (open) {
    showNumbers(at("estimates"), null);
    at("numbers-line").textContent = inOneLine(null);
    showValues(page.start.values);
    numbers();
  } else if (page.start.values) askForValues(false);
}

function showValues(shown) {
  page.start.values = shown;
  button("values").setAttribute("aria-pressed", String(shown));
  setWords(button("values"), shown ? "Hide values" : "Show values");
}

// The server shows values to whom an event says that they are in view.
async function askForValues(shown) {
  showValues(shown);
  await page.sender.send({ id: newId(), action: "view", values: shown });
  numbers();
}

// ---- Finding and marking ------------------------------------------------------------------------------------------

let marks = [];
let place = 0;

function openFind() {
  if (!page.current) return;
  at("find").hidden = false;
  putAboveGrades(at("find"));
  at("find-text").focus();
  at("find-text").select();
}

function closeFind() {
  at("find").hidden = true;
  at("find-text").value = "";
  mark(at("text"), null, "found");
}

function find() {
  marks = mark(at("text"), textPattern(at("find-text").value), "found");
  place = 0;
  showFound();
}

function showFound() {
  at("found").textContent = at("find-text").value ? `${marks.length ? place + 1 : 0} of ${marks.length}` : "";
  marks.forEach((each, number) => each.classList.toggle("here", number === place));
  marks[place]?.scrollIntoView({ block: "center" });
}

function markWords() {
  const topic = page.topics.get(page.texts.get(page.current?.item)?.topic);
  mark(at("text"), page.marked && topic ? wordPattern(wordsOf(topic.title)) : null, "word");
}

// ---- Buttons and keys ---------------------------------------------------------------------------------------------

const button = (name) => document.querySelector(`[data-do="${name}"]`);

function setWords(made, words) {
  made.firstChild.textContent = `${words} `;
}

function setUnsure(unsure) {
  page.unsure = unsure;
  button("unsure").setAttribute("aria-pressed", String(unsure));
}

const DOING = {
  undo,
  note,
  reading,
  later: () => page.start.settle || answer("later"),
  cannot: () => page.start.settle || answer("cannot"),
  unsure: () => setUnsure(!page.unsure),
  previous: () => browse(-1),
  next: () => browse(1),
  guidelines: () => button("guidelines").hidden || at("guidelines").showModal(),
  help: () => at("help").showModal(),
  find: openFind,
  numbers: () => {
    if (!page.start.scores) return;
    const open = at("numbers").hidden;
    remember("numbers", open ? "yes" : "no");
    showPanel(open);
  },
  values: () => {
    if (page.start.scores && !at("numbers").hidden) askForValues(!page.start.values);
  },
  topic: () => {
    remember("topic", recall("topic") === "less" ? "all" : "less");
    if (page.current && page.texts.has(page.current.item)) showTopic(page.texts.get(page.current.item).topic);
  },
  highlight: () => {
    page.marked = !page.marked;
    button("highlight").setAttribute("aria-pressed", String(page.marked));
    markWords();
  },
  said: () => {
    const said = at("said-before");
    if (said.hidden) return;
    said.open = !said.open;
    if (said.open) said.scrollIntoView({ block: "end" });
  },
};

function makeGrades() {
  at("grades").replaceChildren(
    ...page.start.grades.map((grade) => {
      const made = document.createElement("button");
      Object.assign(made, { type: "button", title: grade.description });
      made.dataset.label = grade.label;
      made.setAttribute("aria-pressed", "false");
      made.append(document.createElement("kbd"), Object.assign(document.createElement("span"), { textContent: grade.name }));
      made.onclick = (press) => answer("label", grade.label, press.shiftKey);
      return made;
    }),
  );
}

function labelKeys() {
  for (const made of document.querySelectorAll("[data-do]")) {
    const key = made.querySelector("kbd");
    if (key) key.textContent = page.keys.of(made.dataset.do).map(shown)[0] ?? "";
    made.onclick = () => {
      DOING[made.dataset.do]();
      if (made.closest("#actions")) at("document").focus({ preventScroll: true });
    };
  }
  for (const made of at("grades").children)
    made.querySelector("kbd").textContent = page.keys.of(`grade ${made.dataset.label}`).map(shown)[0] ?? "";
  at("said-before").querySelector("kbd").textContent = page.keys.of("said").map(shown)[0];
  listKeys();
}

function listKeys() {
  const named = Object.fromEntries(page.start.grades.map((grade) => [`grade ${grade.label}`, `Grade ${grade.label}: ${grade.name}`]));
  const without = ["guidelines", "numbers"].filter((name) => button(name).hidden);
  if (!page.start.scores) without.push("values");
  without.push(...(page.start.settle ? ["later", "cannot"] : ["said"]));
  const useful = Object.entries({ ...named, ...WORDS }).filter(([action]) => !without.includes(action));
  const rows = useful.map(([action, words]) => {
    const row = document.createElement("tr");
    const change = document.createElement("button");
    change.type = "button";
    change.textContent = page.keys.of(action).map(shown).join(" or ");
    change.setAttribute("aria-label", `Key for ${words}: ${change.textContent}. Change it`);
    change.onclick = () => {
      change.textContent = "press a key";
      change.onkeydown = (press) => {
        if (["Shift", "Control", "Alt", "Meta"].includes(press.key)) return;
        press.preventDefault();
        press.stopPropagation();
        const wrong = press.key === "Escape" ? "" : page.keys.change(action, press.key);
        if (wrong) change.textContent = wrong;
        else labelKeys();
      };
    };
    const head = Object.assign(document.createElement("th"), { scope: "row", textContent: words });
    const cell = document.createElement("td");
    cell.append(change);
    row.append(head, cell);
    return row;
  });
  at("key-list").replaceChildren(...rows);
}

function fillGuidelines() {
  markdown(at("guidelines-text"), page.start.guidelines);
  at("guidelines-text").hidden = !page.start.guidelines;
  at("grade-list").replaceChildren(
    ...page.start.grades.flatMap((grade) => [
      Object.assign(document.createElement("dt"), { textContent: `${grade.label} ${grade.name}` }),
      Object.assign(document.createElement("dd"), { textContent: grade.description }),
    ]),
  );
}

document.addEventListener("keydown", (press) => {
  if (!page.work || document.querySelector("dialog[open]")) {
    // In a dialog its own key closes it again, unless something is being written.
    const open = document.querySelector("dialog[open]");
    if (page.work && open && !["INPUT", "TEXTAREA"].includes(press.target.tagName)) {
      const meant = page.keys.meaning(press)?.action;
      if (meant === open.id) {
        press.preventDefault();
        open.close();
      }
    }
    return;
  }
  if (press.target.tagName === "INPUT" || press.target.tagName === "TEXTAREA") return;
  if (press.key === " " && press.target.tagName !== "BUTTON" && press.target.tagName !== "SUMMARY") {
    press.preventDefault();
    window.scrollBy({ top: (press.shiftKey ? -0.8 : 0.8) * (window.innerHeight - at("bottom").offsetHeight), behavior: "auto" });
    return;
  }
  if (press.target.className === "aligned" && press.key.startsWith("Arrow")) return; // which moves its lines
  const meant = page.keys.meaning(press);
  if (!meant) return;
  press.preventDefault();
  const grade = meant.action.startsWith("grade ");
  // A key that is held down must not label one document after the other.
  if (press.repeat && !["previous", "next"].includes(meant.action)) return;
  if (grade) answer("label", Number(meant.action.slice(6)), meant.unsure);
  else DOING[meant.action]();
});

at("find").addEventListener("submit", (event) => event.preventDefault());
at("find-text").addEventListener("input", find);
at("find-text").addEventListener("keydown", (press) => {
  if (press.key === "Escape") {
    closeFind();
    at("document").focus({ preventScroll: true });
  } else if (press.key === "Enter" && marks.length) {
    place = (place + (press.shiftKey ? -1 : 1) + marks.length) % marks.length;
    showFound();
  }
});
at("usual-keys").addEventListener("click", () => {
  page.keys.reset();
  labelKeys();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) page.hiddenAt = performance.now();
  else {
    page.away += performance.now() - page.hiddenAt;
    if (page.work) news();
  }
});

// ---- Small things this browser remembers --------------------------------------------------------------------------

function recall(name) {
  try {
    return localStorage.getItem(`poolwise.${name}`);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`poolwise.${name}`, value);
  } catch {
    // for this page only, then
  }
}

begin();
