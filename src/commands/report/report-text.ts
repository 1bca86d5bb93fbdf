import { type ItemColumn, itemTable, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { minuteOf } from "../../contract/values/day-arithmetic.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import { currencySince } from "../history/product-series.ts";
import type { Report } from "./collect-report.ts";
import { HEADINGS, type ShownProduct } from "./product-section.ts";
import { basisOf, changeWords, goneWords, percentWords, priceWords, titleOf, troubleOf } from "./report-words.ts";

/** What mail programs show without breaking a line. */
const WIDTH = 72;

/** Maximum number of products, retailers or brands of a list, so that the text stays short. */
const LINES = 5;

/**
 * A report as a short text in ASCII and lines of at most 72 columns, except for addresses and crawled texts. Titles are
 * whole: models are at their end.
 *
 * @param urls whether each product has its address
 */
export function reportText(report: Report, { urls }: { urls: boolean }): string {
  const { name, filters, now, lists } = report;
  const head = [
    titleOf(report),
    wrap(visible(filters === "" ? name : `${name}, ${filters}`), WIDTH),
    ...[...basisOf(report), `Made at ${minuteOf(now)}.`].map((sentence) => wrap(sentence, WIDTH)),
  ];
  const sections = lists.map((list) => listText(list, report, urls));
  return `${[head.join("\n"), retailerText(report), ...sections, brandText(report)].join("\n\n")}\n`;
}

function listText({ section, count, products }: Report["lists"][number], report: Report, urls: boolean): string {
  const shown = products.slice(0, LINES);
  const more = shown.length < count ? `, ${shown.length} of them` : "";
  const counts = section === "gone_products" ? goneWords(report).join(", ") : groupDigits(count);
  const lines = shown.flatMap((product) => [
    indented(factsOf(product).join(", "), 2),
    indented(visible(product.title), 4),
    ...(urls && product.url !== undefined ? [`    ${visible(product.url)}`] : []),
  ]);
  return [wrap(`${HEADINGS[section]}: ${counts}${more}`, WIDTH), ...lines].join("\n");
}

function indented(text: string, spaces: number): string {
  return wrap(text, WIDTH - spaces)
    .split("\n")
    .map((line) => `${" ".repeat(spaces)}${line}`)
    .join("\n");
}

function factsOf(product: ShownProduct): string[] {
  const { percent, discount, before, low, target, reason, retailer, sku, day, currency, series } = product;
  const isLowGone = low !== undefined && low.price !== product.price;
  const facts = [
    changeWords(percent),
    `${priceWords((low ?? product).price, product)} ${currency}`,
    isLowGone ? `now ${priceWords(product.price, product)}` : "",
    before === undefined ? (discount > 0 ? `${discount} % off` : "") : `before ${priceWords(before.price, product)}`,
    target === undefined ? "" : `target ${priceWords(target.price, product)}${target.isMet ? ", met" : ""}`,
    reason === "" ? "" : `${reason}, last seen ${day}`,
    (series && currencySince(series)) ?? "",
    `${retailer} ${sku}`,
    product.note,
  ];
  return facts.filter((fact) => fact !== "").map(visible);
}

function retailerText({ retailers, figures, staleAfter, newest }: Report): string {
  const { outages, stale } = figures;
  const heading = `Outages: ${outages}. Stale retailers: ${stale} of ${retailers.length}, over ${plural(staleAfter, "day")} old on ${newest}`;
  const more = Number(outages) + Number(stale) > LINES ? `, ${LINES} of them` : "";
  return textTable(wrap(`${heading}${more}`, WIDTH), retailers.slice(0, LINES), [
    textColumn("", ({ retailer }) => String(retailer)),
    textColumn("", ({ newest_day }) => String(newest_day), { rigid: true }),
    countColumn(({ days_old }) => `${plural(Number(days_old), "day")} old`),
    textColumn("", troubleOf, { rigid: true }),
  ]);
}

function brandText({ brands, figures }: Report): string {
  const { discounted_percent, mean_discount_pct } = figures;
  const mean = mean_discount_pct === null ? "" : `, by ${percentWords(mean_discount_pct)} on average`;
  const share = discounted_percent === null ? "none, because no price is known" : percentWords(discounted_percent);
  return textTable(`Discounted products: ${share}${mean}`, brands.slice(0, LINES), [
    textColumn("", ({ brand }) => String(brand).trim() || "no brand"),
    countColumn((row) => percentWords(Number(row.discounted_percent))),
    textColumn("", ({ products }) => `of ${plural(Number(products), "product")}`, { rigid: true }),
    countColumn((row) => (row.mean_discount_pct === null ? "" : `by ${percentWords(Number(row.mean_discount_pct))}`)),
  ]);
}

function countColumn(read: (row: AnswerRow) => string): ItemColumn<AnswerRow> {
  return { heading: "", cell: (row) => ({ text: read(row), numeric: true }) };
}

/** The rows of a table without headings, below one line. The mark of a cut text becomes ASCII. */
function textTable(heading: string, rows: readonly AnswerRow[], columns: readonly ItemColumn<AnswerRow>[]): string {
  const { text } = renderTable(itemTable(rows, columns), { width: WIDTH - 4 });
  const [, , ...lines] = text.trimEnd().split("\n");
  return [heading, ...lines.map((line) => `  ${line.replace("…", "...")}`)].join("\n");
}
