import { pad, truncate, widthOf } from "../../cli/terminal/width.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { minuteOf } from "../../contract/values/day-arithmetic.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import type { Report } from "./collect-report.ts";
import { currencySince, HEADINGS, type ShownProduct } from "./product-section.ts";
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
  const { percent, discount, before, low, target, reason, retailer, sku, day, currency } = product;
  const since = currencySince(product);
  const isLowGone = low !== undefined && low.price !== product.price;
  const facts = [
    changeWords(percent),
    `${priceWords((low ?? product).price, product)} ${currency}`,
    isLowGone ? `now ${priceWords(product.price, product)}` : "",
    before === undefined ? (discount > 0 ? `${discount} % off` : "") : `before ${priceWords(before.price, product)}`,
    target === undefined ? "" : `target ${priceWords(target.price, product)}${target.isMet ? ", met" : ""}`,
    reason === "" ? "" : `${reason}, last seen ${day}`,
    since === undefined ? "" : `since ${since} in ${currency}`,
    `${retailer} ${sku}`,
    product.note,
  ];
  return facts.filter((fact) => fact !== "").map(visible);
}

function retailerText({ retailers, figures, staleAfter }: Report): string {
  const { outages, stale } = figures;
  const heading = `Outages: ${outages}. Stale retailers: ${stale} of ${retailers.length}, older than ${plural(staleAfter, "day")}`;
  return textTable(heading, retailers.slice(0, LINES), [
    { align: "left", isElastic: true, read: ({ retailer }) => String(retailer) },
    { align: "left", read: ({ newest_day }) => String(newest_day) },
    { align: "right", read: ({ days_old }) => `${plural(Number(days_old), "day")} old` },
    { align: "left", read: troubleOf },
  ]);
}

function brandText({ brands, figures }: Report): string {
  const { discounted_percent, mean_discount_pct } = figures;
  const mean = mean_discount_pct === null ? "" : `, by ${percentWords(mean_discount_pct)} on average`;
  return textTable(`Discounted products: ${percentWords(discounted_percent)}${mean}`, brands.slice(0, LINES), [
    { align: "left", isElastic: true, read: ({ brand }) => String(brand).trim() || "no brand" },
    { align: "right", read: (row) => percentWords(Number(row.discounted_percent)) },
    { align: "left", read: ({ products }) => `of ${plural(Number(products), "product")}` },
    {
      align: "right",
      read: (row) => (row.mean_discount_pct === null ? "" : `by ${percentWords(Number(row.mean_discount_pct))}`),
    },
  ]);
}

interface TextColumn {
  align: "left" | "right";
  /** Whether its texts are cut if a line would be too long. */
  isElastic?: boolean;
  read: (row: AnswerRow) => string;
}

function textTable(heading: string, rows: readonly AnswerRow[], columns: readonly TextColumn[]): string {
  const cells = rows.map((row) => columns.map(({ read }) => visible(read(row))));
  const widths = columns.map((_, index) => Math.max(0, ...cells.map((row) => widthOf(row[index] ?? ""))));
  const used = widths.filter((width) => width > 0);
  const fixed = widths.reduce((sum, width, index) => sum + (columns[index]?.isElastic ? 0 : width), 2 * used.length);
  const lines = cells.map((row) => {
    const shown = row.flatMap((text, index) => {
      const { align = "left", isElastic = false } = columns[index] ?? {};
      const width = isElastic ? Math.min(widths[index] ?? 0, WIDTH - fixed) : (widths[index] ?? 0);
      return width === 0 ? [] : pad(cut(text, width), width, align);
    });
    return `  ${shown.join("  ").trimEnd()}`;
  });
  return [heading, ...lines].join("\n");
}

/** `text` cut to at most `width` cells, with three dots for the missing part. */
function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${truncate(text, Math.max(1, width - 2)).slice(0, -1)}...`;
}
