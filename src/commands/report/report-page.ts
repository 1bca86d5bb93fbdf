import { html, link, renderPage } from "../../cli/html/html-document.ts";
import { type HtmlColumn, htmlTable, TABLE_STYLE } from "../../cli/html/html-table.ts";
import { percentOfShare } from "../../cli/terminal/tables/cell.ts";
import { minuteOf } from "../../contract/values/day-arithmetic.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import { currencySince } from "../history/product-series.ts";
import type { Report } from "./collect-report.ts";
import { priceLine } from "./price-line.ts";
import { HEADINGS, type ProductSection, type ShownProduct } from "./product-section.ts";
import {
  basisOf,
  changeWords,
  countOf,
  goneWords,
  percentWords,
  priceWords,
  thenWords,
  titleOf,
  troubleOf,
} from "./report-words.ts";

/** A complete HTML page of a report, without any script: mail programs and file shares show it as it is. */
export function reportPage(report: Report): string {
  const { name, filters, now, lists } = report;
  const title = titleOf(report);
  const body = html`<header><h1>${title}</h1>
<p>${name}${filters === "" ? "" : html` <span class="filters">${filters}</span>`}</p>
<p>${basisOf(report).join(" ")}</p>
<p>Made at ${minuteOf(now)}.</p></header>
${tiles(report)}
${retailerSection(report)}
${lists.map((list) => productSection(list, report))}
${brandSection(report)}`;
  return renderPage({ title, body, style: `${TABLE_STYLE}${STYLE}`, script: undefined });
}

function tiles(report: Report): Html {
  const { lists, figures, retailers } = report;
  const tile = (id: string, name: string, value: string, more = "", isAlert = false) =>
    html`<li${isAlert ? html` class="alert"` : ""}><a href="#${id}"><b>${value}</b> <span>${name}</span> <small>${more}</small></a></li>`;
  const { discounted_percent, mean_discount_pct } = figures;
  const [outages, stale] = [countOf(report, "outages"), countOf(report, "stale")];
  const returned = countOf(report, "returned");
  const troubles = [
    `of ${plural(retailers.length, "retailer")}`,
    ...(stale > 0 ? [`${groupDigits(stale)} stale`] : []),
  ];
  const [, ...missing] = goneWords(report);
  const productTiles: Record<ProductSection, (count: string) => Html> = {
    own_list: (count) =>
      tile("own_list", "of the own list", count, `${groupDigits(countOf(report, "target_met"))} at the target price`),
    drops: (count) => tile("drops", count === "1" ? "drop" : "drops", count, arrowed(figures.biggest_drop)),
    rises: (count) => tile("rises", count === "1" ? "rise" : "rises", count, arrowed(figures.biggest_rise)),
    new_lows: (count) => tile("new_lows", count === "1" ? "new low" : "new lows", count),
    new_products: (count) =>
      tile("new_products", "new", count, returned > 0 ? `${groupDigits(returned)} returned` : ""),
    gone_products: () => tile("gone_products", "gone", groupDigits(countOf(report, "gone")), missing.join(" · ")),
  };
  return html`<nav aria-label="Sections"><ul class="tiles">${tile("retailers", outages === 1 ? "outage" : "outages", groupDigits(outages), troubles.join(" · "), outages + stale > 0)}
${lists.map(({ section, count }) => productTiles[section](groupDigits(count)))}
${tile("brands", "discounted", percentWords(discounted_percent) || "–", mean_discount_pct === null ? "" : `mean ${percentWords(mean_discount_pct)}`)}</ul></nav>`;
}

function productSection({ section, count, products }: Report["lists"][number], report: Report): Html {
  const heading = html`<h2 id="${section}">${HEADINGS[section]}</h2>`;
  if (count === 0) {
    return html`<section>${heading}\n<p>None.</p></section>\n`;
  }
  const shown = products.length < count ? `${groupDigits(products.length)} of ${groupDigits(count)}. ` : "";
  const caption = `${shown}${MEANINGS[section](report)}`;
  return html`<section>${heading}\n${htmlTable(COLUMNS[section], products, HEADINGS[section], caption)}</section>\n`;
}

const MEANINGS: Record<ProductSection, (report: Report) => string> = {
  own_list: (report) => `${plural(countOf(report, "target_met"), "product")} at the target price or below it.`,
  drops: (report) => `The last price is below the one known ${thenWords(report)}.`,
  rises: (report) => `The last price is above the one known ${thenWords(report)}.`,
  new_lows: () => "A price since then is below each earlier one. The biggest difference first.",
  new_products: () => "Never seen before. The highest discount first.",
  gone_products: (report) =>
    `Known ${thenWords(report)}, and not any more: ${goneWords(report).join(" · ")}. Those that are gone first.`,
};

const PRODUCT: HtmlColumn<ShownProduct> = {
  heading: "Product",
  kind: "",
  cell: ({ title, retailer, sku, url }) => html`${link(title, url)} <small>${retailer} ${sku}</small>`,
};

const PRICE: HtmlColumn<ShownProduct> = {
  heading: "Price",
  kind: "count",
  cell: (product) => {
    const since = product.series && currencySince(product.series);
    const change = since === undefined ? "" : html`<br><small>${since}</small>`;
    return html`<b>${priceWords(product.price, product)}</b> ${product.currency}${change}`;
  },
};

const LOW: HtmlColumn<ShownProduct> = {
  heading: "New low",
  kind: "count",
  cell: ({ low, currency }) =>
    low === undefined ? "" : html`<b>${priceWords(low.price, { currency })}</b> <small>${low.day}</small>`,
};

const CHANGE: HtmlColumn<ShownProduct> = {
  heading: "Change",
  kind: "count",
  cell: ({ percent }) =>
    percent === undefined ? "" : html`<span class="${percent < 0 ? "down" : "up"}">${arrowed(percent)}</span>`,
};

const DISCOUNT: HtmlColumn<ShownProduct> = {
  heading: "Discount",
  kind: "count",
  cell: ({ discount }) => (discount > 0 ? `${discount} %` : ""),
};

const TARGET: HtmlColumn<ShownProduct> = {
  heading: "Target",
  kind: "count",
  cell: (product) =>
    product.target === undefined
      ? ""
      : html`${priceWords(product.target.price, product)}${product.target.isMet ? html` <b class="down">met</b>` : ""}`,
};

const CHART: HtmlColumn<ShownProduct> = {
  heading: "Prices",
  kind: "chart",
  cell: ({ series }) => (series === undefined ? "" : priceLine(series)),
};

const NOTE: HtmlColumn<ShownProduct> = {
  heading: "Note",
  kind: "",
  cell: ({ note, reason }) => [note, reason].filter((text) => text !== "").join("; "),
};

const REASON: HtmlColumn<ShownProduct> = { heading: "Why", kind: "day", cell: ({ reason }) => reason };
const SEEN: HtmlColumn<ShownProduct> = { heading: "Seen", kind: "day", cell: ({ day }) => day };

function before(heading: string): HtmlColumn<ShownProduct> {
  return {
    heading,
    kind: "count",
    cell: (product) =>
      product.before === undefined
        ? ""
        : html`${priceWords(product.before.price, product)} <small>${product.before.day}</small>`,
  };
}

const COLUMNS: Record<ProductSection, HtmlColumn<ShownProduct>[]> = {
  own_list: [PRODUCT, PRICE, TARGET, NOTE, CHART, SEEN],
  drops: [PRODUCT, PRICE, CHANGE, before("Before"), CHART, SEEN],
  rises: [PRODUCT, PRICE, CHANGE, before("Before"), CHART, SEEN],
  new_lows: [PRODUCT, LOW, CHANGE, before("Low before"), PRICE, CHART],
  new_products: [PRODUCT, PRICE, DISCOUNT, CHART, SEEN],
  gone_products: [PRODUCT, PRICE, REASON, CHART, SEEN],
};

/** `▼ -16.6 %`, so that the direction does not depend on a colour. */
function arrowed(percent: number | null): string {
  return percent === null ? "" : `${percent < 0 ? "▼" : "▲"} ${changeWords(percent)}`;
}

function retailerSection(report: Report): Html {
  const { retailers, staleAfter } = report;
  const columns: HtmlColumn<AnswerRow>[] = [
    { heading: "Retailer", kind: "", cell: ({ retailer }) => String(retailer) },
    {
      heading: "State",
      kind: "",
      cell: (row) => (troubleOf(row) === "" ? "" : html`<b class="trouble">${troubleOf(row)}</b>`),
    },
    { heading: "Newest day", kind: "day", cell: ({ newest_day }) => String(newest_day) },
    { heading: "Days old", kind: "count", cell: ({ days_old }) => groupDigits(Number(days_old)) },
    {
      heading: "Share of usual rows",
      kind: "count",
      cell: ({ share }) => (share === null ? "" : percentWords(percentOfShare(Number(share)))),
    },
    { heading: "Products", kind: "count", cell: ({ products }) => groupDigits(Number(products)) },
  ];
  const caption = `${groupDigits(countOf(report, "outages"))} of ${plural(retailers.length, "retailer")} in an outage on the newest day, ${groupDigits(countOf(report, "stale"))} without a row for more than ${plural(staleAfter, "day")}. The other figures rest on this.`;
  return html`<section><h2 id="retailers">Outages and stale retailers</h2>
${htmlTable(columns, retailers, "State of retailers", caption)}</section>`;
}

function brandSection({ brands, allBrands }: Report): Html {
  const columns: HtmlColumn<AnswerRow>[] = [
    { heading: "Brand", kind: "", cell: ({ brand }) => String(brand).trim() || html`<i>no brand</i>` },
    { heading: "Products", kind: "count", cell: ({ products }) => groupDigits(Number(products)) },
    { heading: "Discounted", kind: "count", cell: (row) => percentWords(Number(row.discounted_percent)) },
    {
      heading: "",
      kind: "",
      cell: ({ discounted_percent }) =>
        html`<span class="share"><span style="width: ${Number(discounted_percent).toFixed(1)}%"></span></span>`,
    },
    {
      heading: "Mean discount",
      kind: "count",
      cell: (row) => (row.mean_discount_pct === null ? "" : percentWords(Number(row.mean_discount_pct))),
    },
  ];
  const shown = brands.length < allBrands ? `${groupDigits(brands.length)} of ${plural(allBrands, "brand")}. ` : "";
  const caption = `${shown}The share of products with a discount, and the mean of their discounts, by the prices that are known. Those with the most discounted products come first.`;
  return html`<section><h2 id="brands">Discounts by brand</h2>
${htmlTable(columns, brands, "Discounts by brand", caption)}</section>`;
}

const STYLE = `
:root { --good: #15713a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #6ee7a0; --bad: #ff9b93; } }
h1 { font-size: 1.7rem; margin-bottom: .5rem; }
h2 { font-size: 1.2rem; margin-bottom: .25rem; }
.filters { font-family: ui-monospace, monospace; font-size: .9em; }
.tiles { list-style: none; padding: 0; margin: 1.5rem 0 0; display: grid; gap: .6rem;
  grid-template-columns: repeat(4, 1fr); }
.tiles a { display: block; height: 100%; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--faint); color: var(--ink); text-decoration: none; }
.tiles a:hover { border-color: var(--accent); }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2; }
.tiles small { display: block; }
.tiles .alert a { border-color: var(--bad); }
.tiles .alert b, .trouble { color: var(--bad); }
table { margin-top: .5rem; }
td { vertical-align: middle; }
td:first-child small { display: block; overflow-wrap: anywhere; }
td:first-child a { overflow-wrap: anywhere; unicode-bidi: isolate; }
.down { color: var(--good); } .up { color: var(--bad); }
th.chart, td.chart { padding-left: 1rem; }
.prices { display: block; } .prices path { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.prices .gap { stroke-dasharray: 2 2; stroke-width: 1; }
.prices .cut { fill: var(--bad); stroke: none; } .prices circle { fill: var(--accent); }
.share { display: block; width: 8rem; height: .6rem; border-radius: .3rem; background: var(--line); overflow: hidden; }
.share span { display: block; height: 100%; background: var(--accent); }
@media (max-width: 40rem) {
  h1 { font-size: 1.35rem; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  tbody tr { display: flex; flex-wrap: wrap; gap: .15rem .9rem; align-items: center; }
  td, td.chart { padding: 0; gap: .35rem; text-align: left; }
  td:first-child { flex: 0 0 100%; display: block; }
  td:first-child small { font-weight: 400; }
  td:first-child a { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
  td.chart { order: 1; }
  td[data-label=Price]::before, td[data-label=Change]::before, td.chart::before { content: none !important; }
}
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --faint: #fff; --accent: #1f5fc4; --good: #15713a; --bad: #b3261e; }
  body { margin: 0; max-width: none; font-size: 11px; }
  tr, .tiles li, h2 { break-inside: avoid; } h2, h2 + p { break-after: avoid; }
  a { color: inherit; } .scroll { overflow: visible; }
}
`;
