// Estimates beside the text: value, interval, the band for looking, the width so far and the widths to expect.

const SPACE = "http://www.w3.org/2000/svg";

function made(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function drawn(name, attributes) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(3).replace(/^-(0\.0+)$/, "$1").replace("-", "−"));
const range = (low, high) => `${number(low)}\u00a0to\u00a0${number(high)}`; // on one line

// The interval as a line over the band, with a tick at 0 where that is within reach.
function bar(row, low, high) {
  const at = (value) => 100 * Math.min(1, Math.max(0, (value - low) / (high - low)));
  const picture = drawn("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true", class: "interval" });
  if (low <= 0 && high >= 0) picture.append(drawn("line", { x1: at(0), x2: at(0), y1: 0, y2: 14, class: "zero" }));
  if (row.band_low !== null)
    picture.append(drawn("rect", { x: at(row.band_low), width: at(row.band_high) - at(row.band_low), y: 4.5, height: 5, class: "band" }));
  if (row.low !== null)
    picture.append(drawn("rect", { x: at(row.low), width: Math.max(0.5, at(row.high) - at(row.low)), y: 6, height: 2, class: "held" }));
  picture.append(drawn("rect", { x: at(row.value) - 0.6, width: 1.2, y: 2, height: 10, class: "value" }));
  return picture;
}

function scale(rows) {
  const ends = rows.flatMap((row) => [row.band_low ?? row.low, row.band_high ?? row.high, row.low, row.high, row.value]);
  const known = ends.filter((value) => value !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = 0.04 * (high - low || 0.1);
  return [low - room, high + room];
}

// Widths of looks so far, as a small line that ends with what is expected at the plan's end.
function widths(looks, forecast) {
  const points = looks.map(({ labels, width }) => [labels, width]);
  if (points.length < 2) return null;
  const end = forecast.find((step) => step.end);
  const last = points.at(-1);
  const after = end ? [last[0] + end.labels, end.width] : null;
  const all = after ? [...points, after] : points;
  const most = Math.max(...all.map(([, width]) => width)) || 1;
  const x = (done) => (100 * (done - points[0][0])) / (all.at(-1)[0] - points[0][0] || 1);
  const y = (width) => 30 - (28 * width) / most;
  const path = (some) => some.map(([done, width], place) => `${place ? "L" : "M"}${x(done).toFixed(2)} ${y(width).toFixed(2)}`).join("");
  const picture = drawn("svg", { viewBox: "0 0 100 32", preserveAspectRatio: "none", role: "img", class: "widths" });
  picture.setAttribute("aria-label", `Width of the interval, from ${number(points[0][1])} to ${number(last[1])}`);
  picture.append(drawn("path", { d: path(points), class: "line" }));
  if (after) picture.append(drawn("path", { d: path([last, after]), class: "line ahead" }));
  return picture;
}

function rowsOf(found) {
  const [low, high] = scale(found.rows);
  const list = made("ul", "rows");
  for (const row of found.rows) {
    const entry = made("li");
    const head = made("p", "row");
    head.append(made("span", "run", row.name), made("strong", "", number(row.value)));
    entry.append(head, bar(row, low, high));
    entry.append(made("p", "ends", row.low === null ? "no interval yet" : range(row.low, row.high)));
    if (found.rows.length === 1 && row.low !== null) {
      const band = row.band_low === null ? "too wide to say yet" : range(row.band_low, row.band_high);
      entry.append(made("p", "ends light", `holds at every look: ${band}`));
    }
    list.append(entry);
  }
  return list;
}

function whyNone(found, busy) {
  if (found?.error) return found.error.replace(/\.$/, "");
  if (found?.missing) return `the first comes ${found.missing} label${found.missing > 1 ? "s" : ""} from now, when every topic has one`;
  return busy ? "being computed" : "after the first labels";
}

// The same in one line, for screens on which the panel stands below the text: of several runs the first.
export function inOneLine(numbers) {
  const found = numbers?.found;
  if (!found || found.error || !found.rows?.length) return `No estimate yet: ${whyNone(found, numbers?.busy).split(",")[0]}`;
  const [row] = found.rows;
  return `${found.measure} ${row.name} ${number(row.value)}${row.low === null ? "" : `, ${range(row.low, row.high)}`}`;
}

export function showNumbers(panel, numbers) {
  const parts = [];
  const found = numbers?.found;
  if (!found || found.error || !found.rows?.length) {
    parts.push(made("h2", "", "Estimates"), made("p", "ends", `None yet: ${whyNone(found, numbers?.busy)}.`));
    panel.replaceChildren(...parts);
    return;
  }
  parts.push(made("h2", "", found.measure), rowsOf(found));
  if (found.left_out) parts.push(made("p", "ends", `and ${found.left_out} more runs`));
  parts.push(made("p", "ends", `${100 * found.level} % intervals from ${found.labels} labels${numbers.busy ? "; being computed anew" : ""}`));
  if (found.rows.length > 1) parts.push(made("p", "ends light", "the wide pale band holds at every look"));
  if (found.width !== null) {
    parts.push(made("h3", "", "Width"));
    const line = widths(numbers.looks, found.forecast);
    if (line) parts.push(line);
    const list = made("dl", "steps");
    const add = (name, value) => list.append(made("dt", "", name), made("dd", "", value));
    add("now", number(found.width));
    for (const step of found.forecast) add(step.end ? "at the end" : `${step.labels} more`, number(step.width));
    parts.push(list);
    const safe = "The interval is for stopping at the planned end, or when it is narrow enough. Stop because of the value only by what holds at every look.";
    parts.push(made("p", "ends light", safe));
  }
  if (found.notes?.length) {
    const notes = made("details", "notes");
    notes.append(made("summary", "", `${found.notes.length} note${found.notes.length > 1 ? "s" : ""}`));
    for (const note of found.notes) notes.append(made("p", "", note));
    notes.open = panel.querySelector("details")?.open ?? false;
    parts.push(notes);
  }
  panel.replaceChildren(...parts);
}
