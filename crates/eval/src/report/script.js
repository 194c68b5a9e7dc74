"use strict";
// Columns are sorted by a click or a key on their heads: up, down, and back to the order of the report.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], first = [...body.rows], heads = [...table.tHead.rows[0].cells];
  if (first.length < 2) continue;
  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    if (!heads[column].classList.contains("number")) return text;
    const found = text.match(/-?\d+(\.\d+)?/);
    return found ? Number(found[0]) : null;
  };
  const sort = column => {
    const now = heads[column].getAttribute("aria-sort");
    const next = now === null ? "ascending" : now === "ascending" ? "descending" : null;
    heads.forEach(head => head.removeAttribute("aria-sort"));
    const rows = first.map(row => [key(row, column), row]);
    if (next !== null) {
      heads[column].setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      // What has no number comes last either way.
      rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)
        : sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true })));
    }
    body.append(...rows.map(([, row]) => row));
    // What repeats the row above is pale.
    let above = [];
    for (const row of body.rows) {
      const own = [...row.cells].filter(cell => cell.tagName === "TH").map(cell => cell.textContent);
      own.forEach((_, i) => row.cells[i].classList.toggle("again",
        i + 1 < own.length && own.slice(0, i + 1).every((text, j) => text === above[j])));
      above = own;
    }
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column));
    head.append(button);
  });
}
// A table that is wider than its place says so.
const wide = [...document.querySelectorAll(".wide")];
const cue = () => wide.forEach(box => box.classList.toggle("scrolls", box.scrollWidth > box.clientWidth + 1));
addEventListener("resize", cue);
document.addEventListener("toggle", cue, true);
cue();
// A link into what is folded unfolds it.
const unfold = () => {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target === null) return;
  for (let at = target.closest("details"); at !== null; at = at.parentElement.closest("details")) at.open = true;
  target.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", unfold);
unfold();
// Nothing is folded on paper, and heads are plain: a table whose head holds buttons does not repeat it on the next sheet.
let opened = [], buttons = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach(part => { part.open = true; });
  buttons = [...document.querySelectorAll("th > button")].map(button => [button, button.parentElement]);
  buttons.forEach(([button, head]) => button.replaceWith(...button.childNodes));
});
addEventListener("afterprint", () => {
  opened.forEach(part => { part.open = false; });
  buttons.forEach(([button, head]) => { button.append(...head.childNodes); head.append(button); });
});
