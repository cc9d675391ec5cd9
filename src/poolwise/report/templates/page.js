"use strict";
// Figures: drawn from the data beside them, in the page's colours, again when those change.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
function colours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return { ink: colour("--ink"), line: colour("--line"), paper: colour("--paper") };
}
function themed(layout) {
  const { ink, line, paper } = colours();
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
  const axes = {};
  for (const name of ["xaxis", "yaxis"]) axes[name] = { ...axis, ...(layout[name] || {}) };
  return { paper_bgcolor: paper, plot_bgcolor: paper, font: { color: ink, family: "inherit", size: 13 },
    margin: { l: 60, r: 20, t: 34, b: 50 }, hovermode: "closest", ...layout, ...axes };
}
function drawFigures() {
  for (const box of document.querySelectorAll(".figure")) {
    const { data, layout } = JSON.parse(box.nextElementSibling.textContent);
    Plotly.react(box, data, themed(layout), { responsive: true, displaylogo: false,
      toImageButtonOptions: { format: "svg", filename: box.dataset.name } });
  }
}
if (window.Plotly) {
  drawFigures();
  dark.addEventListener("change", drawFigures);
}
// Tables: a click on a heading sorts, numbers as numbers; a second click turns the order around.
function sortBy(heading) {
  const row = heading.parentElement, column = [...row.children].indexOf(heading);
  const descending = heading.getAttribute("aria-sort") !== "descending";
  for (const other of row.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = heading.closest("table").tBodies[0], numeric = heading.classList.contains("number");
  const key = (line) => line.children[column].dataset.value;
  const order = (a, b) => numeric ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b), undefined, { numeric: true });
  body.append(...[...body.rows].sort((a, b) => descending ? order(b, a) : order(a, b)));
}
for (const heading of document.querySelectorAll("th")) heading.addEventListener("click", () => sortBy(heading));
// Search: rows of runs that match are marked, and the first is brought into view.
const search = document.getElementById("find-run");
if (search) search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  for (const table of document.querySelectorAll("table")) {
    let first = true;
    for (const row of table.tBodies[0].rows) {
      const found = wanted !== "" && row.children[0].textContent.toLowerCase().includes(wanted);
      row.classList.toggle("found", found);
      if (found && first) { row.scrollIntoView({ block: "nearest" }); first = false; }
    }
  }
});
