import type { ListOptions } from "../../cli/flags/list.ts";
import { html, link, renderPage } from "../../cli/html/html-document.ts";
import { type HtmlColumn, htmlTable, TABLE_STYLE } from "../../cli/html/html-table.ts";
import { percentText, priceCell } from "../../cli/terminal/tables/cell.ts";
import { minuteOf } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import { markShape, priceChart } from "./price-chart.ts";
import { extremeName, priceChanges, productsInOrder } from "./price-tables.ts";
import { currencySince, type PricePoint, type ProductSeries } from "./product-series.ts";

/** Maximum number of lines in a chart; more are hard to tell apart. */
const LINES = 8;

/**
 * A complete HTML page of prices over time: a chart for each currency, because two currencies cannot share an axis, then
 * the facts and the changes of each product. A single product is the heading of its page.
 *
 * @param filters as flags; empty without any
 * @param now milliseconds since the epoch
 */
export function historyPage(
  series: readonly ProductSeries[],
  { folder, filters, now, list }: { folder: string; filters: string; now: number; list: ListOptions },
): string {
  const shown = productsInOrder(series, list);
  const source = html`<p>${[folder, filters].filter(Boolean).join("; ")}; read at ${minuteOf(now)}.</p>`;
  const [only, ...others] = shown;
  const isSingle = only !== undefined && others.length === 0;
  const title = isSingle ? only.title : `Prices of ${plural(shown.length, "product")}`;
  const body = isSingle ? singleProduct(only, source, list) : severalProducts(shown, title, source, list);
  return renderPage({ title, body, style: STYLE, script: "" });
}

function singleProduct(product: ProductSeries, source: Html, list: ListOptions): Html {
  const { title, url, retailer, sku, department, category, last, lowest, highest, points, changes, isNewLow } = product;
  const since = currencySince(product);
  const price = (point: PricePoint) =>
    html`${priceOf(point)} ${point.currency} <small class="day">${point.day}</small>`;
  return html`<h1>${link(title, url)}</h1>
<p>${retailer} ${sku}; ${department}, ${category}${since === undefined ? "" : `; ${since}`}</p>
${source}
<dl><div><dt>Last</dt><dd>${price(last)}${isNewLow ? html` <b>new low</b>` : ""}</dd></div>
<div><dt>Lowest</dt><dd>${price(lowest)}</dd></div>
<div><dt>Highest</dt><dd>${price(highest)}</dd></div>
<div><dt>Changes</dt><dd>${groupDigits(changes)} <small>in ${plural(points.length, "day")}</small></dd></div></dl>
<figure>${priceChart([product], last.currency)}</figure>
<h2>Changes</h2>
${changesTable(product, list)}`;
}

function severalProducts(series: readonly ProductSeries[], title: string, source: Html, list: ListOptions): Html {
  const sections = [...groupBy(series, ({ last }) => last.currency)].map(([currency, products]) => {
    const charts = Array.from({ length: Math.ceil(products.length / LINES) }, (_, index) =>
      figure(products.slice(index * LINES, (index + 1) * LINES), currency),
    );
    return html`<h2>${currency}</h2>\n${charts}\n${productsTable(products, currency)}`;
  });
  // Here `--limit` counts products; each one shown has all its changes.
  const all = { ...list, sort: undefined, limit: undefined };
  const changed = series.filter(({ changes }) => changes > 0);
  return html`<h1>${title}</h1>
${source}
${sections}
${changed.length === 0 ? "" : html`<h2>Changes</h2>`}
${changed.map(
  (product) =>
    html`<details id="${idOf(product)}"><summary>${product.title} <small>${product.retailer} ${product.sku}, ${plural(product.changes, "change")}</small></summary>${changesTable(product, all)}</details>\n`,
)}`;
}

function figure(series: readonly ProductSeries[], currency: string): Html {
  const legend = series.map(
    ({ title, retailer, sku }, index) =>
      html`<li><svg class="line${index}" viewBox="0 0 18 18" width="18" height="18" aria-hidden="true"><path class="mark" d="M9 9${markShape(index)}"/></svg>${title} <small>${retailer} ${sku}</small></li>`,
  );
  return html`<figure>${priceChart(series, currency)}<figcaption><ul>${legend}</ul></figcaption></figure>`;
}

function productsTable(series: readonly ProductSeries[], currency: string): Html {
  const columns: HtmlColumn<ProductSeries>[] = [
    { heading: "Title", kind: "", cell: ({ title, url }) => link(title, url) },
    { heading: "Product", kind: "", cell: ({ retailer, sku }) => `${retailer} ${sku}` },
    {
      heading: "Last price",
      kind: "count",
      cell: ({ last, isNewLow }) => html`${isNewLow ? html`<small>new low</small> ` : ""}${priceOf(last)}`,
    },
    { heading: "Lowest", kind: "count", cell: ({ lowest }) => priceOf(lowest) },
    { heading: "Highest", kind: "count", cell: ({ highest }) => priceOf(highest) },
    {
      heading: "Changes",
      kind: "count",
      cell: (product) =>
        product.changes === 0 ? "0" : html`<a href="#${idOf(product)}">${groupDigits(product.changes)}</a>`,
    },
    { heading: "Seen", kind: "day", cell: ({ last }) => last.day },
  ];
  return htmlTable(columns, series, `Products in ${currency}`);
}

function changesTable(product: ProductSeries, list: ListOptions): Html {
  const columns: HtmlColumn<PricePoint>[] = [
    { heading: "Since", kind: "day", cell: ({ day }) => day },
    { heading: "Price", kind: "count", cell: (point) => `${priceOf(point)} ${point.currency}` },
    {
      heading: "Change",
      kind: "count",
      cell: ({ percent }) => (percent === undefined ? "" : `${percent > 0 ? "+" : ""}${percentText(percent)} %`),
    },
    { heading: "List price", kind: "count", cell: ({ mrp, currency }) => priceCell(mrp, currency).text },
    { heading: "Discount", kind: "count", cell: ({ discount_pct }) => (discount_pct > 0 ? `${discount_pct} %` : "") },
    { heading: "", kind: "", cell: (point) => extremeName(point, product) },
  ];
  return htmlTable(columns, priceChanges(product, list), `Changes of ${product.title}`);
}

function priceOf({ selling_price, currency }: PricePoint): string {
  return priceCell(selling_price, currency).text;
}

function idOf({ retailer, sku }: ProductSeries): string {
  return `p-${encodeURIComponent(visible(`${retailer} ${sku}`))}`;
}

const COLOURS = ["#2563eb", "#c2410c", "#15803d", "#a21caf", "#b45309", "#0e7490", "#be123c", "#4d7c0f"];
const COLOURS_DARK = ["#7cacff", "#ff9a62", "#6ee7a0", "#f0a3f5", "#f5c46b", "#67d8ef", "#ff8fa3", "#b9e36c"];

function colours(list: readonly string[]): string {
  return list.map((colour, index) => `.line${index} { --own: ${colour}; }`).join("\n");
}

const STYLE = `${TABLE_STYLE}
figure { margin: 1rem 0; } svg { width: 100%; height: auto; display: block; touch-action: pan-y; }
svg text { font-size: 12px; fill: var(--soft); } .grid { stroke: var(--line); }
path { fill: none; stroke: var(--own); stroke-width: 2; } .gap { stroke-dasharray: 4 4; stroke-width: 1; } .mark { fill: var(--own); } circle { fill: var(--own); }
figcaption ul { list-style: none; padding: 0; margin: .5rem 0; display: grid; gap: .25rem; }
figcaption svg { display: inline-block; width: 1.1rem; height: 1.1rem; vertical-align: -.2rem; margin-right: .4rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .5rem 1rem; margin: 1rem 0; }
dt { color: var(--soft); font-size: .85rem; } dd { margin: 0; font-size: 1.1rem; } dd b { color: var(--accent); font-size: .85rem; }
summary, figcaption, td:first-child { overflow-wrap: anywhere; }
${colours(COLOURS)}
@media (max-width: 40rem) {
  h1 { font-size: 1.25rem; }
  svg text { font-size: 18px; }
}
@media (max-width: 30rem) { svg text { font-size: 24px; } }
@media (prefers-color-scheme: dark) {
${colours(COLOURS_DARK)}
}
`;
