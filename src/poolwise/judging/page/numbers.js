// How precise estimates are, beside the text: the width so far and the widths to expect, and whether that is enough.
// Values of runs stand there only when they were asked for, under neutral names.

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
    entry.append(made("p", "run", row.name), made("strong", "", number(row.value)), bar(row, low, high));
    entry.append(made("p", "ends", row.low === null ? "no interval yet" : range(row.low, row.high)));
    if (found.rows.length === 1 && row.low !== null) {
      const band = row.band_low === null ? "too wide to say yet" : range(row.band_low, row.band_high);
      entry.append(made("p", "ends light", `holds at every look: ${band}`));
    }
    list.append(entry);
  }
  return list;
}

const labels = (count) => `${count} label${count === 1 ? "" : "s"}`;

function whyNone(numbers) {
  if (numbers?.found?.error) return numbers.found.error.replace(/\.$/, "");
  return numbers?.next ? `the first comes in ${labels(numbers.next)}` : "being computed";
}

const isThere = (found) => Boolean(found) && !found.error && found.missing === undefined && found.labels !== undefined;

function widthOf(found) {
  return found.width === null ? "no interval yet" : `${number(found.width)} wide`;
}

// The same in one line, for screens on which the panel stands below the text: of several runs the first.
export function inOneLine(numbers) {
  const found = numbers?.found;
  if (!isThere(found)) return `No estimate yet: ${whyNone(numbers).split(",")[0]}`;
  const [row] = found.rows ?? [];
  if (row) return `${found.measure}: ${row.name} ${number(row.value)}${row.low === null ? "" : `, ${range(row.low, row.high)}`}`;
  return `${found.measure}: ${widthOf(found)}, ${found.enough ? "enough" : "not yet enough"}`;
}

function precision(numbers) {
  const { found } = numbers;
  const parts = [made("h2", "", `${found.measure}: width of the interval`)];
  parts.push(made("p", "wide", widthOf(found)), made("p", "enough", found.enough ? "Enough" : "Not yet enough"));
  parts.push(made("p", "ends", `${labels(numbers.left)} left`));
  const again = numbers.busy ? "; being computed anew" : numbers.next ? `; next update in ${labels(numbers.next)}` : "";
  parts.push(made("p", "ends", `${100 * found.level} % interval from ${labels(found.labels)}${again}`));
  const line = widths(numbers.looks, found.forecast);
  if (line) parts.push(line);
  const list = made("dl", "steps");
  for (const step of found.forecast)
    list.append(made("dt", "", step.end ? "at the end" : `${step.labels} more`), made("dd", "", number(step.width)));
  if (found.forecast.length) parts.push(list);
  return parts;
}

function valuesOf(found) {
  const parts = [made("h2", "", "Values"), rowsOf(found)];
  if (found.left_out) parts.push(made("p", "ends", `and ${found.left_out} more runs`));
  if (found.rows.length > 1) parts.push(made("p", "ends light", "the wide pale band holds at every look"));
  const safe = "Intervals are for the planned end, or for stopping when they are narrow enough. Stop because of a value only by what holds at every look.";
  parts.push(made("p", "ends light", safe));
  return parts;
}

export function showNumbers(panel, numbers) {
  const found = numbers?.found;
  panel.replaceChildren(
    ...(isThere(found) ? precision(numbers) : [made("h2", "", "Estimates"), made("p", "ends", `None yet: ${whyNone(numbers)}.`)]),
    ...(found?.rows?.length ? valuesOf(found) : []),
  );
}
