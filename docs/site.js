// What the theme leaves out for those who use a keyboard or hear the page. It makes some parts of a page in the browser,
// so these are mended there too, whenever they change.

const SCROLLING = ".md-typeset__scrollwrap, .md-typeset pre > code";

function mend() {
  // What scrolls sideways can be reached by keyboard; the theme sees to code, where a mouse is, and to no table.
  for (const box of document.querySelectorAll(SCROLLING))
    if (box.scrollWidth > box.clientWidth && box.tabIndex < 0) box.tabIndex = 0;
  // A button to copy code is no place of the page to go to.
  for (const buttons of document.querySelectorAll(".md-code__nav")) buttons.role = "none";
  document.querySelector(".md-search").ariaLabel = "Search";
}

let asked = 0;
function soon() {
  cancelAnimationFrame(asked);
  asked = requestAnimationFrame(mend);
}

const content = document.querySelector(".md-content");
new MutationObserver(soon).observe(content, { subtree: true, childList: true, attributeFilter: ["tabindex"] });
new ResizeObserver(soon).observe(content);
mend();
