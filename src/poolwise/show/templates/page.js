"use strict";
// Figures: drawn from the data beside them, in the page's colours, again when those change.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
function colours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return { ink: colour("--ink"), line: colour("--line"), paper: colour("--paper"), neutral: colour("--neutral"), blue: colour("--blue"), sky: colour("--sky"), faint: colour("--line") };
}
const onPaper = { ink: "#000000", line: "#bbbbbb", paper: "#ffffff", neutral: "#f3efe6", blue: "#0072b2", sky: "#56b4e9", faint: "#dddddd" }, paperWidth = 680, paperHeight = 820;
function themed(layout, { ink, line, paper }) {
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
  const axes = { xaxis: axis, yaxis: axis };
  for (const name of Object.keys(layout)) if (/^[xy]axis/.test(name)) axes[name] = { ...axis, ...layout[name] };
  return { paper_bgcolor: paper, plot_bgcolor: paper, font: { color: ink, family: "inherit", size: 13 },
    margin: { l: 60, r: 20, t: 34, b: 50 }, hovermode: "closest", ...layout, ...axes };
}
// What is near the middle of a colour scale, and lines behind others, fade into the page, light or dark; blues are brighter on dark.
function coloured(trace, { neutral, faint, blue, sky }) {
  const changed = { ...trace }, brighter = { [onPaper.blue]: blue, [onPaper.sky]: sky };
  const lit = (part) => ({ ...part, ...(brighter[part.color] && { color: brighter[part.color] }) });
  if (trace.colorscale) changed.colorscale = trace.colorscale.map(([at, colour]) => [at, colour === onPaper.neutral ? neutral : colour]);
  for (const part of ["line", "marker"]) if (trace[part]) changed[part] = lit(trace[part]);
  if (trace.meta === "behind") changed.line = { ...trace.line, color: faint };
  return changed;
}
// Names under or beside a figure get smaller where there is little room for each, and below 7 pixels only some are shown;
// where there is much, they need not slant, and the first and the last do not stand at the edge.
function fitted(axis, names, pixels) {
  const each = pixels / names.size, usual = 13, longest = Math.max(...[...names].map((name) => String(name ?? "").length));
  if (axis.type === "category" && axis.tickangle && 0.65 * usual * longest < each)
    return { ...axis, tickangle: 0, ...(names.size < 5 && { range: [-0.6, names.size - 0.4] }) };
  if (axis.type !== "category" || each > 1.5 * usual) return axis;
  const size = Math.max(7, Math.min(usual, Math.floor(0.9 * each)));
  const close = { ...axis, tickfont: { size }, dtick: Math.ceil(size / each) };
  return axis.tickangle && each < usual ? { ...close, tickangle: -90, range: [-0.6, names.size - 0.4] } : close;
}
// A colour bar stands above a figure that has no room beside it.
function barAbove(trace) {
  const title = { ...trace.colorbar.title, side: "top" };
  return { ...trace, colorbar: { ...trace.colorbar, title, orientation: "h", thickness: 8, y: 1.02, yanchor: "bottom" } };
}
// A picture leads to a page: lines without words.
function small(layout) {
  const bare = {};
  for (const name of Object.keys(layout)) if (/^[xy]axis/.test(name)) bare[name] = { ...layout[name], title: {}, showticklabels: false };
  return { ...layout, ...bare, showlegend: false, annotations: [], margin: { l: 8, r: 8, t: 8, b: 8 } };
}
// A figure must fit its page: on paper one sheet.
function fit(box, traces, drawn, printed) {
  if (box.dataset.height === undefined) box.dataset.height = box.style.height;
  box.style.height = box.dataset.height;
  if (printed) box.style.height = `${Math.min(paperHeight, (box.dataset.height ? 1 : 0.8) * box.clientHeight)}px`;
  const named = new Set(drawn.showlegend === false ? [] : traces.filter((trace) => trace.showlegend !== false).map((trace) => trace.name || ""));
  const long = [...named].some((name) => name.length > 14) ? named.size : 0;  // each takes a line of a phone
  if (!printed && box.clientWidth < 500 && long > 3) box.style.height = `calc(${box.clientHeight}px + ${1.3 * (long - 3)}rem)`;
  const width = printed ? paperWidth : box.clientWidth, height = box.clientHeight;
  if (printed) drawn.width = width;
  traces.forEach((trace, place) => { if (trace.colorbar && width < 500) traces[place] = barAbove(trace); });
  if (!traces.length || drawn.xaxis2) return;
  drawn.xaxis = fitted(drawn.xaxis, new Set(traces.flatMap((trace) => trace.x || [])), width - 120);
  drawn.yaxis = fitted(drawn.yaxis, new Set(traces.flatMap((trace) => trace.y || [])), height - 120);
}
function drawFigures(printed) {
  const page = printed ? onPaper : colours();
  for (const box of document.querySelectorAll(".figure")) {
    const { data, layout } = JSON.parse(box.nextElementSibling.textContent), picture = box.classList.contains("picture");
    const { x, y } = data.find((trace) => trace.meta === "behind") || {};  // the same lines in every panel, said once
    const traces = data.map((trace) => coloured({ ...trace, ...(trace.meta === "behind" && { x, y }), ...(picture && { showscale: false }) }, page));
    const drawn = themed(picture ? small(layout) : layout, page);
    if (!picture) fit(box, traces, drawn, printed);
    Plotly.react(box, traces, drawn, { responsive: !printed, displaylogo: false, staticPlot: picture,
      toImageButtonOptions: { format: "svg", filename: box.dataset.name } });
  }
}
function begin() {
  drawFigures(false);
  dark.addEventListener("change", () => drawFigures(false));
  // Paper is white and narrow: figures are drawn for it before printing, and back afterwards.
  window.addEventListener("beforeprint", () => drawFigures(true));
  window.addEventListener("afterprint", () => drawFigures(false));
}
// Plotly's script is in a file beside the page, or packed in the page itself.
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
}
const packed = document.getElementById("plotly");
if (window.Plotly) begin();
else if (packed && window.DecompressionStream) unpack(packed).then(begin);
else for (const box of document.querySelectorAll(".figure")) box.textContent = packed
  ? "Figures need a browser of 2023 or later." : "Figures need plotly.min.js, which was written beside this page.";
// Tables: a click on a heading sorts, numbers as numbers; a second click turns the order around.
// What a cell stands for, where its text is short; spaces that keep a number with its sign are plain ones elsewhere.
const stands = (cell) => cell.dataset.value ?? cell.textContent.replaceAll("\u00a0", " ");
function sortBy(heading) {
  const row = heading.parentElement, column = [...row.children].indexOf(heading);
  const descending = heading.getAttribute("aria-sort") !== "descending";
  for (const other of row.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = heading.closest("table").tBodies[0], numeric = heading.classList.contains("number");
  const key = (line) => stands(line.cells[column]), number = (text) => text === "" ? -Infinity : Number(text.replace("inf", "Infinity"));
  const order = (a, b) => numeric ? number(key(a)) - number(key(b)) : key(a).localeCompare(key(b), undefined, { numeric: true });
  body.append(...[...body.rows].sort((a, b) => descending ? order(b, a) : order(a, b)));
}
for (const heading of document.querySelectorAll("th")) heading.addEventListener("click", () => sortBy(heading));
// Saving: a table as it is sorted now, in CSV.
function csv(table) {
  const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return [...table.rows].map((row) => [...row.cells].map((cell) => quoted(stands(cell))).join(",") + "\n").join("");
}
for (const button of document.querySelectorAll("[data-csv]")) button.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv(button.closest("section").querySelector("table"))], { type: "text/csv" }));
  link.download = button.dataset.csv;
  link.click();
  URL.revokeObjectURL(link.href);
});
// Saving: the figure as it is drawn now.
for (const button of document.querySelectorAll("[data-format]")) button.addEventListener("click", () => {
  const box = button.closest("section").querySelector(".figure");
  Plotly.downloadImage(box, { format: button.dataset.format, filename: box.dataset.name, width: 900, height: Math.max(550, box.clientHeight),
    scale: button.dataset.format === "png" ? 2 : 1 });
});
// Search: runs that match are marked in every table and figure; the first row of each table is brought into view.
function markRows(wanted) {
  const runs = new Set();
  for (const table of document.querySelectorAll("table")) {
    let first = true;
    for (const row of table.tBodies[0].rows) {
      const name = row.children[0].textContent;
      const found = wanted !== "" && table.dataset.runs === "yes" && name.toLowerCase().includes(wanted);
      row.classList.toggle("found", found);
      if (found) runs.add(name);
      if (found && first) {
        const box = table.parentElement;
        box.scrollTop = row.offsetTop - box.clientHeight / 2;
        first = false;
      }
    }
  }
  return runs;
}
const asTyped = (text) => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");  // names in figures are no HTML
function markPoints(wanted) {
  const runs = new Set();
  for (const box of document.querySelectorAll(".figure:not(.picture)")) box.data.forEach((trace, index) => {
    if (trace.meta !== "runs") return;
    const places = [];
    trace.text.map(asTyped).forEach((name, place) => { if (wanted !== "" && name.toLowerCase().includes(wanted)) { places.push(place); runs.add(name); } });
    Plotly.restyle(box, { selectedpoints: [wanted === "" ? null : places], "selected.marker.size": 12, "unselected.marker.opacity": 0.15 }, [index]);
  });
  return runs;
}
const search = document.getElementById("find-run");
if (search) search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  const runs = new Set([...markRows(wanted), ...(window.Plotly ? markPoints(wanted) : [])]);
  document.getElementById("found-runs").textContent = wanted === "" ? "" : `${runs.size} found`;
});
