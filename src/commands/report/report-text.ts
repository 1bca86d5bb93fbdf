import { minuteOf } from "../../cli/html/html-document.ts";
import { visible } from "../../cli/terminal/visible.ts";
import { pad, truncate, widthOf } from "../../cli/terminal/width.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { groupDigits, plural, signedPercent } from "../../contract/values/phrases.ts";
import type { Report } from "./collect.ts";
import { shareText } from "./figures.ts";
import type { ProductList } from "./listed-products.ts";

/** What mail programs show without breaking a line. */
const WIDTH = 72;

/** Most cells of a retailer and a sku, so that there is room for a title. */
const NAME_CELLS = 27;

/** Most lines of a list, so that the text stays shorter than a page. */
const LINES = 5;

const HEADINGS: Record<ProductList["kind"], string> = {
  drops: "Drops",
  rises: "Rises",
  new_lows: "New lows",
  new: "New products",
  gone: "Gone products",
};

/**
 * A report as a short text: at most 60 lines of 72 columns, in ASCII but for what was crawled.
 *
 * @param filters the filters of the command line, as flags; empty without any
 * @param now milliseconds since the epoch
 */
export function reportText(report: Report, { filters, now }: { filters: string; now: number }): string {
  const { name, since, first, last, lists, figures, rows } = report;
  const days = first === last ? `crawled on ${last}` : `crawled from ${first} to ${last}`;
  const about = `${plural(rows, "row")} of ${plural(figures.products ?? 0, "product")}, ${days}`;
  const head = [
    since === undefined ? `Prices of ${last}, without an earlier day` : `Prices from ${since} to ${last}`,
    cut(filters === "" ? name : `${name}, ${filters}`, WIDTH),
    wrap(`${about}; made at ${minuteOf(now)}`, WIDTH),
  ];
  return `${[head.join("\n"), ...lists.map(listText), retailerText(report), brandText(report)].join("\n\n")}\n`;
}

function listText({ kind, products, all }: ProductList): string {
  const shown = products.slice(0, LINES);
  const more = shown.length < all ? `, ${shown.length} of them` : "";
  return textTable(`${HEADINGS[kind]}: ${groupDigits(all)}${more}`, shown, [
    {
      align: "right",
      read: ({ percent, discount_pct }) => signedPercent(percent) || (discount_pct > 0 ? `${discount_pct} % off` : ""),
    },
    { align: "right", read: ({ selling_price }) => groupDigits(selling_price) },
    { align: "left", read: ({ currency }) => currency },
    { align: "left", isElastic: true, read: ({ title, sku }) => title.trim() || sku },
    { align: "left", read: ({ retailer, sku }) => cut(`${retailer} ${sku}`, NAME_CELLS) },
  ]);
}

function retailerText({ retailers, staleAfter, figures }: Report): string {
  const heading = `Stale retailers: ${figures.stale} of ${retailers.length}, older than ${plural(staleAfter, "day")}`;
  return textTable(heading, retailers.slice(0, LINES), [
    { align: "left", isElastic: true, read: ({ retailer }) => retailer },
    { align: "left", read: ({ day }) => day },
    { align: "right", read: ({ days_old }) => `${plural(days_old, "day")} old` },
    { align: "left", read: ({ isStale }) => (isStale ? "stale" : "") },
  ]);
}

function brandText({ brands, figures }: Report): string {
  const { discounted_percent, mean_discount_pct } = figures;
  const mean = mean_discount_pct === undefined ? "" : `, by ${shareText(mean_discount_pct)} on average`;
  return textTable(`Discounted products: ${shareText(discounted_percent)}${mean}`, brands.slice(0, LINES), [
    { align: "left", isElastic: true, read: ({ brand }) => brand.trim() || "no brand" },
    { align: "right", read: (one) => shareText(one.discounted_percent) },
    { align: "left", read: ({ products }) => `of ${plural(products, "product")}` },
    {
      align: "right",
      read: (one) => (one.mean_discount_pct === undefined ? "" : `by ${shareText(one.mean_discount_pct)}`),
    },
  ]);
}

interface TextColumn<Item> {
  align: "left" | "right";
  /** Whether its texts are cut if a line would be too long. */
  isElastic?: boolean;
  read: (item: Item) => string;
}

/** Lines below a heading, in columns. */
function textTable<Item>(heading: string, items: readonly Item[], columns: readonly TextColumn<Item>[]): string {
  const cells = items.map((item) => columns.map(({ read }) => visible(read(item))));
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
