/** Colours that differ between light and dark are variables; a heat cell mixes in the accent by its share. */
export const STYLE = `
:root { --paper: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --faint: #f1f4f7; --accent: #1f5fc4; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0e1217; --ink: #e6eaef; --soft: #97a1ad; --line: #2b323b; --faint: #171d24; --accent: #6ba4ff; }
}
* { box-sizing: border-box; }
body { margin: 1.5rem auto; max-width: 64rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; scroll-margin-top: 1rem; }
p, small, .days, thead { color: var(--soft); }
p { margin: .25rem 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 600; }

#heat { table-layout: fixed; }
#heat thead td { width: 11rem; }
#heat thead th { font-size: .75rem; font-weight: 400; padding: .2rem 0 .2rem .3rem; border-left: 1px solid var(--line);
  white-space: nowrap; position: sticky; top: 0; background: var(--paper); }
#heat tbody th { font-weight: 400; font-size: .85rem; padding-right: .5rem; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
#heat tbody td { height: 1.35rem; background: var(--faint); border: 1px solid var(--paper); }
#heat tbody td.rows { background: color-mix(in srgb, var(--accent) calc(12% + var(--share) * 88%), var(--faint)); }
#heat tbody td:hover { outline: 2px solid var(--ink); outline-offset: -1px; }
#pointed { min-height: 1.5em; font-size: .85rem; }

.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-bottom: .75rem; }
input, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: .4rem; padding: .4rem .6rem; max-width: 100%; }
input { flex: 1 1 16rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

details { border-top: 1px solid var(--line); }
summary { display: grid; grid-template-columns: 12rem 8rem 9rem 1fr; gap: 0 1rem; align-items: center;
  padding: .5rem 0; cursor: pointer; }
summary b { overflow-wrap: anywhere; }
summary b::before { content: "▸ "; color: var(--soft); }
details[open] > summary b::before { content: "▾ "; }
details table { margin: 0 0 1rem; }
details th, details td { padding: .25rem .6rem .25rem 0; border-top: 1px solid var(--line); vertical-align: baseline; }
details th { font-size: .8rem; font-weight: 400; border: 0; }
details td { overflow-wrap: anywhere; }
details th:nth-child(1), details th:nth-child(2) { width: 25%; }
details thead td { width: 28%; border: 0; }
th.count, .count { text-align: right; white-space: nowrap; }
.days { font-size: .85rem; }
.track { display: block; position: relative; height: .5rem; background: var(--line); border-radius: .25rem; }
.scale { display: flex; justify-content: space-between; font-size: .75rem; margin: 0 0 .25rem auto; width: calc(100% - 32rem); }
.range { position: absolute; inset: 0 auto 0 min(var(--from), 100% - 3px); width: var(--length); min-width: 3px;
  background: var(--accent); border-radius: .25rem; }
[hidden] { display: none !important; }

@media (max-width: 44rem) {
  body { margin-top: 1rem; padding: 0 .75rem; }
  #heat thead td { width: 32%; }
  #heat thead th { font-size: .7rem; padding-left: .2rem; }
  .scale { width: 100%; }
  summary { grid-template-columns: 1fr auto; gap: .1rem .75rem; }
  summary .track { grid-column: 1 / -1; margin-top: .25rem; }
  summary small { grid-column: 1; grid-row: 2; padding-left: 1.1rem; }
  details thead { display: none; }
  details tr { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; padding: .4rem 0 .5rem 1.1rem;
    border-top: 1px solid var(--line); }
  details td { border: 0; padding: 0; }
  details td:nth-child(2) { grid-column: 1; grid-row: 2; color: var(--soft); }
  details td:nth-child(4) { grid-column: 2; grid-row: 2; text-align: right; }
  details td:nth-child(5) { grid-column: 1 / -1; margin-top: .3rem; }
}
`;

/** Searches and sorts the combinations, opens the target of a link, and shows the values of the pointed cell. */
export const SCRIPT = `
const list = document.querySelector("#retailers");
if (list !== null) {
  const search = document.querySelector("#search");
  const found = document.querySelector("#found");
  const all = found.textContent;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter((word) => word !== "");
    let rows = 0;
    for (const retailer of list.children) {
      let shown = 0;
      for (const row of retailer.querySelectorAll("tbody tr")) {
        row.hidden = !words.every((word) => row.dataset.name.toLowerCase().includes(word));
        shown += row.hidden ? 0 : 1;
      }
      retailer.hidden = shown === 0;
      retailer.open = words.length > 0 && shown > 0;
      rows += shown;
    }
    found.textContent = words.length === 0 ? all : rows.toLocaleString("en-US") + " of " + all;
  });

  const orders = {
    name: (a, b) => (a.name < b.name ? -1 : 1),
    rows: (a, b) => b.rows - a.rows,
    last: (a, b) => (a.last > b.last ? -1 : a.last < b.last ? 1 : 0),
  };
  const sort = (parent, order) => {
    const sorted = [...parent.children].sort((a, b) => orders[order](a.dataset, b.dataset) || orders.name(a.dataset, b.dataset));
    parent.append(...sorted);
  };
  document.querySelector("#sort").addEventListener("change", ({ target }) => {
    sort(list, target.value);
    for (const body of list.querySelectorAll("tbody")) sort(body, target.value);
  });

  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.parentElement === list) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", open);
  open();

  const pointed = document.querySelector("#pointed");
  for (const kind of ["pointerover", "click"]) {
    document.querySelector("#heat").addEventListener(kind, ({ target }) => {
      if (target.matches("tbody td")) pointed.textContent = target.title;
    });
  }
}
`;
