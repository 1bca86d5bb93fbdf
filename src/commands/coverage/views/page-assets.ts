/** A cell of the map mixes in the accent by its share. */
export const STYLE = `
.map { table-layout: fixed; min-width: calc(9rem + var(--columns) * 5px); }
.map col:first-child { width: 9rem; }
.map thead th { font-size: .75rem; font-weight: 400; padding: .2rem 0 .2rem .3rem; border-left: 1px solid var(--line);
  white-space: nowrap; overflow: hidden; }
.map th[scope=row], .map thead td:first-child { position: sticky; left: 0; background: var(--paper); font-weight: 400; font-size: .85rem;
  padding-right: .5rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.map tbody td { height: 1.35rem; padding: 0; background: var(--faint); border: 1px solid var(--paper); border-width: 1px .5px;
  font-size: 0; overflow: hidden; }
.map tbody td.rows { background: color-mix(in srgb, var(--accent) calc(12% + var(--share) * 88%), var(--faint)); }
.map tbody td.gap { background: repeating-linear-gradient(135deg, var(--line) 0 2px, var(--paper) 2px 4px); }
.map tbody td:hover { outline: 2px solid var(--ink); outline-offset: -1px; }

.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-bottom: .75rem; }
input, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: .4rem; padding: .4rem .6rem; max-width: 100%; }
input { flex: 1 1 16rem; }
summary { display: grid; grid-template-columns: 11rem 8rem 8rem 7rem 1fr; gap: 0 1rem; align-items: center; }
summary b { overflow-wrap: anywhere; }
summary b::before { content: "▸ "; color: var(--soft); }
details[open] > summary b::before { content: "▾ "; }
details table { margin: 0 0 1rem; }
details th, details td { padding: .25rem .6rem .25rem 0; border-top: 1px solid var(--line); vertical-align: baseline; }
details th { font-size: .8rem; font-weight: 400; border: 0; }
details td { overflow-wrap: anywhere; }
details th:nth-child(1), details th:nth-child(2) { width: 25%; }
details thead td { width: 22%; border: 0; }
.days { font-size: .85rem; }
.track { display: block; position: relative; height: .5rem; background: var(--line); border-radius: .25rem; }
.scale { display: flex; justify-content: space-between; font-size: .75rem; margin: 0 0 .25rem auto; width: calc(100% - 38rem); }
.range { position: absolute; inset: 0 auto 0 min(var(--from), 100% - 3px); width: var(--length); min-width: 3px;
  background: var(--accent); border-radius: .25rem; }
@media (max-width: 44rem) {
  body { margin-top: 1rem; padding: 0 .75rem; }
  .map { min-width: calc(6.5rem + var(--columns) * 5px); }
  .map col:first-child { width: 6.5rem; }
  .scale { width: 100%; }
  summary { grid-template-columns: 1fr auto; gap: .1rem .75rem; }
  summary .track { grid-column: 1 / -1; margin-top: .25rem; }
  summary small { padding-left: 1.1rem; }
  summary .age { padding: 0; text-align: right; }
  details thead { display: none; }
  details tr { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; padding: .4rem 0 .5rem 1.1rem;
    border-top: 1px solid var(--line); }
  details td { border: 0; padding: 0; }
  details td:nth-child(2) { grid-column: 1; grid-row: 2; color: var(--soft); }
  details td:nth-child(4) { grid-column: 1; grid-row: 3; }
  details td:nth-child(5) { grid-column: 2; grid-row: 2; color: var(--soft); }
  details td:nth-child(6) { grid-column: 1 / -1; margin-top: .3rem; }
}
`;

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
    age: (a, b) => b.age - a.age,
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

  // The newest days are in view.
  const map = document.querySelector("#days");
  if (map !== null) map.scrollLeft = map.scrollWidth;
}
`;
