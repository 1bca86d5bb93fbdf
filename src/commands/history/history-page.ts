import { groupBy, type ListOptions } from "../../cli/flags/list.ts";
import { DAY, dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { escapeHtml, renderPage } from "../../output/html-document.ts";
import type { Series } from "../../prices/series.ts";
import { productsInOrder } from "./price-tables.ts";

/** Most lines of one chart; more could not be distinguished. */
const LINES = 8;

/** Size of the drawing, in its own units. */
const [WIDTH, HEIGHT, BOTTOM, TOP] = [720, 320, 28, 22];

/** Most units that a character of a label takes, on a narrow screen. */
const CHARACTER = 16;

/**
 * A complete HTML page of prices over time: a chart for each currency, because two currencies cannot share an axis, and
 * the facts of each product.
 */
export function historyPage(
  series: readonly Series[],
  facts: { folder: string; now: number; list: ListOptions },
): string {
  const currencies = [...groupBy(productsInOrder(series, facts.list), ({ last }) => last.currency)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const read = new Date(facts.now).toISOString().slice(0, 16).replace("T", " ");
  const body = [
    "<h1>Price history</h1>",
    `<p>${escapeHtml(facts.folder)}; read at ${read} UTC.</p>`,
    ...currencies.map(([currency, own]) => section(currency, own)),
  ];
  return renderPage({ title: "Price history", body: body.join("\n"), style: STYLE, script: "" });
}

function section(currency: string, series: readonly Series[]): string {
  const charts = Array.from({ length: Math.ceil(series.length / LINES) }, (_, index) =>
    figure(series.slice(index * LINES, (index + 1) * LINES), currency),
  );
  return `<h2>${escapeHtml(currency)}</h2>\n${charts.join("\n")}\n${productsHtml(series, currency)}`;
}

function figure(series: readonly Series[], currency: string): string {
  const drawn = series.map((one) => ({ ...one, points: one.points.filter((point) => point.currency === currency) }));
  const all = drawn.flatMap(({ points }) => points);
  const days = all.map(({ day }) => dayNumber(day));
  const prices = all.map(({ selling_price }) => selling_price);
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const ticks = ticksOf(Math.min(...prices), Math.max(...prices));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const left = 8 + CHARACTER * Math.max(...ticks.map((tick) => groupDigits(tick).length));
  const x = (day: string) => left + ((dayNumber(day) - first) / (last - first || 1)) * (WIDTH - left - 8);
  const y = (price: number) => HEIGHT - BOTTOM - ((price - low) / (high - low || 1)) * (HEIGHT - BOTTOM - TOP);
  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${left}" x2="${WIDTH - 8}" y1="${tenths(y(tick))}" y2="${tenths(y(tick))}"/><text x="${left - 8}" y="${tenths(y(tick) + 4)}" text-anchor="end">${groupDigits(tick)}</text>`,
  );
  const ends = [...new Set([first, last])].map((number) => {
    const day = dayOf(number * DAY);
    const anchor = number === first ? "start" : "end";
    return `<text x="${tenths(x(day))}" y="${HEIGHT - 8}" text-anchor="${anchor}">${day}</text>`;
  });
  const lines = drawn.map(({ title, points }, index) => {
    const steps = points.map(({ day, selling_price }, position) =>
      position === 0
        ? `M${tenths(x(day))} ${tenths(y(selling_price))}`
        : `H${tenths(x(day))}V${tenths(y(selling_price))}`,
    );
    const dots = points.map(
      ({ day, selling_price }) =>
        `<circle cx="${tenths(x(day))}" cy="${tenths(y(selling_price))}" r="${points.length > 90 ? 1.5 : 3}"><title>${escapeHtml(title)}: ${groupDigits(selling_price)} ${escapeHtml(currency)} on ${day}</title></circle>`,
    );
    return `<g class="line${index}"><path d="${steps.join("")}"/>${dots.join("")}</g>`;
  });
  const legend = drawn.map(
    ({ title, retailer, sku }, index) =>
      `<li><i class="line${index}"></i>${escapeHtml(title)} <span>${escapeHtml(retailer)} ${escapeHtml(sku)}</span></li>`,
  );
  return `<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Selling prices in ${escapeHtml(currency)} from ${dayOf(first * DAY)} to ${dayOf(last * DAY)}">${grid.join("")}${ends.join("")}${lines.join("")}</svg><figcaption><ul>${legend.join("")}</ul></figcaption></figure>`;
}

/** Four to eight round values that span the prices. */
function ticksOf(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const magnitude = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => span / size <= 5) ?? span;
  const start = Math.floor(low / step);
  const end = Math.max(Math.ceil(high / step), start + 1);
  return Array.from({ length: end - start + 1 }, (_, index) => Number(((start + index) * step).toPrecision(12)));
}

const HEADINGS = ["Title", "Product", "Last price", "Lowest", "Highest", "Changes", "Seen"];

function productsHtml(series: readonly Series[], currency: string): string {
  const rows = series.map(({ title, retailer, sku, last, lowest, highest, changes, isNewLow }) => {
    const cells = [
      [escapeHtml(title), ""],
      [`${escapeHtml(retailer)} ${escapeHtml(sku)}`, ""],
      [`${isNewLow ? "<small>new low</small> " : ""}${groupDigits(last.selling_price)}`, "number"],
      [groupDigits(lowest.selling_price), "number"],
      [groupDigits(highest.selling_price), "number"],
      [groupDigits(changes), "number"],
      [last.day, ""],
    ];
    const drawn = cells.map(
      ([text, kind], index) => `<td class="${kind}" data-label="${HEADINGS[index]}"><span>${text}</span></td>`,
    );
    return `<tr>${drawn.join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Products in ${escapeHtml(currency)}"><table><thead><tr>${HEADINGS.map(
    (heading, index) => `<th scope="col" class="${index >= 2 && index <= 5 ? "number" : ""}">${heading}</th>`,
  ).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

/** A coordinate, to a tenth of a unit. */
function tenths(value: number): string {
  return value.toFixed(1);
}

const COLOURS = ["#2563eb", "#c2410c", "#15803d", "#a21caf", "#b45309", "#0e7490", "#be123c", "#4d7c0f"];
const COLOURS_DARK = ["#7cacff", "#ff9a62", "#6ee7a0", "#f0a3f5", "#f5c46b", "#67d8ef", "#ff8fa3", "#b9e36c"];

function colours(list: readonly string[]): string {
  return list.map((colour, index) => `.line${index}{--line:${colour}}`).join("");
}

const STYLE = `
:root{font:16px/1.5 system-ui,sans-serif;color:#1c1f24;background:#fff}
body{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{overflow-wrap:anywhere}p,figcaption span,small,td::before{color:#5a616c}
figure{margin:0 0 1rem}svg{width:100%;height:auto;display:block}
svg text{font-size:12px;fill:#5a616c}.grid{stroke:#dfe3e8}
path{fill:none;stroke:var(--line);stroke-width:2}circle{fill:var(--line)}
figcaption ul{list-style:none;padding:0;margin:.5rem 0;display:grid;gap:.25rem}
figcaption i{display:inline-block;width:.75rem;height:.75rem;border-radius:50%;background:var(--line);margin-right:.5rem}
.scroll{overflow-x:auto}.scroll:focus-visible{outline:3px solid #2563eb;outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.4rem .75rem .4rem 0;border-bottom:1px solid #dfe3e8;vertical-align:top}
td:first-child{min-width:14rem}th.number,.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
${colours(COLOURS)}
@media (max-width:40rem){svg text{font-size:18px}thead{display:none}table,tbody,tr,td{display:block}
tr{padding:.5rem 0;border-bottom:1px solid #dfe3e8}td{display:flex;justify-content:space-between;gap:1rem;padding:.1rem 0;
border:0;text-align:right}td:first-child{min-width:0;font-weight:600;text-align:left}
td:not(:first-child)::before{content:attr(data-label)}}
@media (max-width:30rem){svg text{font-size:24px}}
@media (prefers-color-scheme:dark){:root{color:#e6e8eb;background:#15181c}p,figcaption span,small,td::before{color:#a3abb6}svg text{fill:#a3abb6}
.grid,th,td,tr{stroke:#343a42;border-color:#343a42}${colours(COLOURS_DARK)}}`;
