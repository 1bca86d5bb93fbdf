/** Colours that differ between light and dark are variables; a heat cell mixes the accent in by its share. */
export const STYLE = `
:root { --paper: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --accent: #2f6fd6; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0e1217; --ink: #e6eaef; --soft: #97a1ad; --line: #2b323b; --accent: #3f7fe0; }
}
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { color: var(--soft); margin: .25rem 0; }
.scroll { overflow: auto; max-height: 30rem; }
.scroll thead { position: sticky; top: 0; z-index: 1; background: var(--paper); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: left; border-bottom: 1px solid var(--line); max-width: 16rem; overflow-wrap: anywhere; }
td:first-child, .number, .date { white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; }
tfoot td { font-weight: 600; }
.number { text-align: right; }
#heat thead th { text-align: right; }
.heat { text-align: right; background: color-mix(in srgb, var(--accent) calc(var(--share) * 60%), var(--paper)); }
.track { display: block; position: relative; width: 10rem; height: .6rem; background: var(--line); border-radius: .3rem; }
.range { position: absolute; inset: 0 auto 0 var(--from); width: var(--length); min-width: 3px;
  background: var(--accent); border-radius: .3rem; }
th button { all: unset; cursor: pointer; color: inherit; }
th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
`;

/** Sorts the rows of the table whose heading is pressed; numbers start with the largest, words with the first. */
export const SCRIPT = `
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const body = heading.closest("table").tBodies[0];
    const numeric = heading.classList.contains("number");
    const order = { ascending: "descending", descending: "ascending" }[heading.ariaSort] ?? (numeric ? "descending" : "ascending");
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.ariaSort = order;
    const key = (row) => row.cells[heading.cellIndex].dataset.value ?? row.cells[heading.cellIndex].textContent;
    const compare = (a, b) => numeric ? key(a) - key(b) : key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
    const sign = order === "ascending" ? 1 : -1;
    body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
  });
}
`;
