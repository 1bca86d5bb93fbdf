import { html, link, minuteOf, renderPage } from "../../cli/html/html-document.ts";
import { type HtmlColumn, htmlTable, TABLE_STYLE } from "../../cli/html/html-table.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { type Series, samePrice } from "../../folder/prices/series.ts";
import type { Report, ShownProduct } from "./collect.ts";
import { shareText } from "./figures.ts";
import type { ProductList } from "./listed-products.ts";

type Kind = ProductList["kind"];

const HEADINGS = {
  drops: "Biggest drops",
  rises: "Biggest rises",
  new_lows: "New lows",
  new: "New products",
  gone: "Gone products",
} as const satisfies Record<Kind, string>;

/**
 * A complete HTML page of a report, without any script: mail programs and file shares show it as it is.
 *
 * @param filters the filters of the command line, as flags; empty without any
 * @param now milliseconds since the epoch
 */
export function reportPage(report: Report, { filters, now }: { filters: string; now: number }): string {
  const { name, since, first, last, lists, retailers, figures } = report;
  const compared = since === undefined ? `Prices of ${last}` : `Prices from ${since} to ${last}`;
  const body = html`<header><h1>${compared}</h1>
<p>${name}${filters === "" ? "" : html` <span class="filters">${filters}</span>`}</p>
<p>${plural(report.rows, "row")} of ${plural(figures.products ?? 0, "product")} and ${plural(retailers.length, "retailer")}, ${first === last ? `crawled on ${last}` : `crawled from ${first} to ${last}`}. ${since === undefined ? "There is no earlier day to compare with." : "Compared are the last prices known up to each of the two days."}</p>
<p>Made at ${minuteOf(now)}.</p></header>
${tiles(report)}
${lists.map((list) => productSection(list, report))}
${retailerSection(report)}
${brandSection(report)}`;
  return renderPage({ title: compared, body, style: `${TABLE_STYLE}${STYLE}`, script: undefined });
}

/** The figures of the sections, each a link to its own. */
function tiles({ lists, figures, retailers }: Report): Html {
  const tile = (id: string, name: string, value: string, more: string, isAlert = false) =>
    html`<li${isAlert ? html` class="alert"` : ""}><a href="#${id}"><b>${value}</b> <span>${name}</span> <small>${more}</small></a></li>`;
  const names: Record<Kind, string> = {
    drops: "drops",
    rises: "rises",
    new_lows: "new lows",
    new: "new",
    gone: "gone",
  };
  const most: Partial<Record<Kind, number | undefined>> = { drops: figures.biggest_drop, rises: figures.biggest_rise };
  const { stale = 0, discounted_percent, mean_discount_pct } = figures;
  return html`<nav aria-label="Sections"><ul class="tiles">${lists.map(({ kind, all }) =>
    tile(kind, names[kind], groupDigits(all), most[kind] === undefined ? "" : percentText(most[kind])),
  )}
${tile("retailers", "stale", `${groupDigits(stale)}`, `of ${plural(retailers.length, "retailer")}`, stale > 0)}
${tile("brands", "discounted", shareText(discounted_percent), mean_discount_pct === undefined ? "" : `mean ${shareText(mean_discount_pct)}`)}</ul></nav>`;
}

function productSection({ kind, products, all }: Report["lists"][number], report: Report): Html {
  const heading = html`<h2 id="${kind}">${HEADINGS[kind]}</h2>`;
  if (all === 0) {
    return html`<section>${heading}\n<p>None since ${report.since ?? ""}.</p></section>\n`;
  }
  const shown = products.length < all ? `${groupDigits(products.length)} of ${groupDigits(all)}. ` : "";
  const caption = `${shown}${MEANINGS[kind](report)}`;
  return html`<section>${heading}\n${htmlTable(COLUMNS[kind], products, HEADINGS[kind], caption)}</section>\n`;
}

const MEANINGS: Record<Kind, (report: Report) => string> = {
  drops: ({ since }) => `The last price is below the one known on ${since}.`,
  rises: ({ since }) => `The last price is above the one known on ${since}.`,
  new_lows: ({ first }) => `The last price is below each earlier one since ${first}.`,
  new: ({ since }) => `Not crawled up to ${since}. The highest discount first.`,
  gone: ({ since }) => `Known on ${since}, and not crawled any more. Those that were seen last come first.`,
};

const PRODUCT: HtmlColumn<ShownProduct> = {
  heading: "Product",
  kind: "",
  cell: ({ title, retailer, sku, url }) => html`${link(title.trim() || sku, url)} <small>${retailer} ${sku}</small>`,
};

const PRICE: HtmlColumn<ShownProduct> = {
  heading: "Price",
  kind: "count",
  cell: ({ selling_price, currency }) => html`<b>${groupDigits(selling_price)}</b> ${currency}`,
};

const CHANGE: HtmlColumn<ShownProduct> = {
  heading: "Change",
  kind: "count",
  cell: ({ percent }) => html`<span class="${(percent ?? 0) < 0 ? "down" : "up"}">${percentText(percent)}</span>`,
};

const DISCOUNT: HtmlColumn<ShownProduct> = {
  heading: "Discount",
  kind: "count",
  cell: ({ discount_pct }) => (discount_pct > 0 ? `${discount_pct} %` : ""),
};

const CHART: HtmlColumn<ShownProduct> = {
  heading: "Prices",
  kind: "chart",
  cell: ({ series }) => (series === undefined ? "" : priceLine(series)),
};

const SEEN: HtmlColumn<ShownProduct> = { heading: "Seen", kind: "day", cell: ({ day }) => day };

function before(heading: string): HtmlColumn<ShownProduct> {
  return {
    heading,
    kind: "count",
    cell: ({ before: earlier }) =>
      earlier === undefined ? "" : html`${groupDigits(earlier.selling_price)} <small>${earlier.day}</small>`,
  };
}

const COLUMNS: Record<Kind, HtmlColumn<ShownProduct>[]> = {
  drops: [PRODUCT, PRICE, CHANGE, before("Before"), CHART, SEEN],
  rises: [PRODUCT, PRICE, CHANGE, before("Before"), CHART, SEEN],
  new_lows: [PRODUCT, PRICE, CHANGE, before("Low before"), CHART, SEEN],
  new: [PRODUCT, PRICE, DISCOUNT, CHART, SEEN],
  gone: [PRODUCT, PRICE, DISCOUNT, CHART, SEEN],
};

/** Size of the drawing in its own units, and the space around the line, so that it is not cut. */
const [WIDTH, HEIGHT, EDGE] = [112, 28, 3];

/** The prices of a product as a small line with a dot at the last one: those in its last currency. */
function priceLine({ points, last, lowest, highest }: Series): Html {
  const drawn = points.filter(({ currency }) => currency === last.currency);
  const [first, end] = [dayNumber(drawn[0]?.day ?? last.day), dayNumber(last.day)];
  const [low, high] = [lowest.selling_price, highest.selling_price];
  const tenths = (coordinate: number) => coordinate.toFixed(1);
  const x = (day: string) => tenths(EDGE + ((dayNumber(day) - first) / (end - first || 1)) * (WIDTH - 2 * EDGE));
  const y = (price: number) =>
    tenths(low === high ? HEIGHT / 2 : HEIGHT - EDGE - ((price - low) / (high - low)) * (HEIGHT - 2 * EDGE));
  const steps = drawn.flatMap((point, index) => {
    const before = drawn[index - 1];
    if (before === undefined) {
      return [`M${x(point.day)} ${y(point.selling_price)}`];
    }
    return samePrice(before, point) ? [] : [`H${x(point.day)}V${y(point.selling_price)}`];
  });
  const range =
    low === high
      ? `always ${groupDigits(low)}`
      : `lowest ${groupDigits(low)} on ${lowest.day}, highest ${groupDigits(high)} on ${highest.day}`;
  const title = `${plural(drawn.length, "day")} from ${drawn[0]?.day} to ${last.day}: ${range} ${last.currency}`;
  return html`<svg class="prices" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}"><title>${title}</title><path d="${steps.join("")}H${x(last.day)}"/><circle cx="${x(last.day)}" cy="${y(last.selling_price)}" r="2.5"/></svg>`;
}

/** `▼ -16.6 %`, so that the direction does not depend on a colour. */
function percentText(percent: number | undefined): string {
  if (percent === undefined) {
    return "";
  }
  return percent < 0 ? `▼ ${percent.toFixed(1)} %` : `▲ +${percent.toFixed(1)} %`;
}

function retailerSection({ retailers, staleAfter, figures }: Report): Html {
  const columns: HtmlColumn<Report["retailers"][number]>[] = [
    { heading: "Retailer", kind: "", cell: ({ retailer }) => retailer },
    { heading: "Newest day", kind: "day", cell: ({ day }) => day },
    {
      heading: "Days old",
      kind: "count",
      cell: ({ days_old, isStale }) =>
        html`${isStale ? html`<b class="stale">stale</b> ` : ""}${groupDigits(days_old)}`,
    },
    { heading: "Products", kind: "count", cell: ({ products }) => groupDigits(products) },
  ];
  const caption = `${plural(figures.stale ?? 0, "retailer")} of ${groupDigits(retailers.length)} without a row of the last ${plural(staleAfter, "day")}.`;
  return html`<section><h2 id="retailers">Freshness</h2>
${htmlTable(columns, retailers, "Freshness of retailers", caption)}</section>`;
}

function brandSection({ brands, allBrands }: Report): Html {
  const columns: HtmlColumn<Report["brands"][number]>[] = [
    { heading: "Brand", kind: "", cell: ({ brand }) => brand.trim() || html`<i>no brand</i>` },
    { heading: "Products", kind: "count", cell: ({ products }) => groupDigits(products) },
    { heading: "Discounted", kind: "count", cell: ({ discounted_percent }) => shareText(discounted_percent) },
    {
      heading: "",
      kind: "",
      cell: ({ discounted_percent }) =>
        html`<span class="share"><span style="width: ${(discounted_percent ?? 0).toFixed(1)}%"></span></span>`,
    },
    {
      heading: "Mean discount",
      kind: "count",
      cell: ({ mean_discount_pct }) => shareText(mean_discount_pct),
    },
  ];
  const shown = brands.length < allBrands ? `${groupDigits(brands.length)} of ${plural(allBrands, "brand")}. ` : "";
  const caption = `${shown}The share of products with a discount, and the mean of their discounts, by last known prices. Those with the most discounted products come first.`;
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
  grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
.tiles a { display: block; height: 100%; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--faint); color: var(--ink); text-decoration: none; }
.tiles a:hover { border-color: var(--accent); }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2; }
.tiles small { display: block; }
.tiles .alert a { border-color: var(--bad); }
.tiles .alert b, .stale { color: var(--bad); }
table { margin-top: .5rem; }
td { vertical-align: middle; }
td:first-child small { display: block; overflow-wrap: anywhere; }
td:first-child a { overflow-wrap: anywhere; unicode-bidi: isolate; }
.down { color: var(--good); } .up { color: var(--bad); }
th.chart, td.chart { padding-left: 1rem; }
.prices { display: block; } .prices path { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.prices circle { fill: var(--accent); }
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
