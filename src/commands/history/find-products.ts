import type { SyncedFolder } from "../../cli/source/synced-folder.ts";
import { NotFoundError, UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { groupDigits, plural, quoted } from "../../contract/values/phrases.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import { visible } from "../../contract/values/visible.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type Parameters, readRows } from "../../folder/ask/ask.ts";
import NEWEST_ROWS from "../../folder/questions/newest-rows.sql";
import type { HistoryOptions } from "./options.ts";
import { fold, wordTest } from "./word-match.ts";

/** Maximum number of products of a search that are shown; for more, the user is asked to narrow it or to limit the table. */
const SEARCH_LIMIT = 50;

const SHOWN_TITLE = 70;

interface NewestRow {
  product: number;
  retailer: string;
  sku: string;
  title: string;
  text: string;
}

/**
 * The products that the command line names, by their numbers in the index.
 *
 * @throws NotFoundError if there is none of a sku or of the words
 * @throws UsageError if the words find too many
 */
export async function findProducts(
  prices: DuckDb,
  scope: Parameters,
  options: HistoryOptions,
  synced: SyncedFolder,
): Promise<number[]> {
  const { skus, search } = options;
  if (skus.length > 0) {
    const exact = await newestRows(prices, scope, skus);
    const isFound = skus.every((sku) => exact.some((row) => row.sku === sku));
    // Only skus in other letters need the rows of all products.
    return bySkus(isFound ? exact : await newestRows(prices, scope, null), options, synced).map(
      ({ product }) => product,
    );
  }
  const rows = await newestRows(prices, scope, null);
  // An own list has narrowed the rows.
  return (search.length > 0 ? await bySearch(rows, options, synced) : rows).map(({ product }) => product);
}

async function newestRows(prices: DuckDb, scope: Parameters, skus: readonly string[] | null): Promise<NewestRow[]> {
  return (await readRows(prices, NEWEST_ROWS, { ...scope, skus })).map(([product, ...texts]) => {
    const [retailer = "", sku = "", title = "", brand = "", model = ""] = texts.map(String);
    // A word contains no line break, so it cannot be found across two texts.
    return { product: Number(product), retailer, sku, title, text: `${title}\n${brand}\n${model}` };
  });
}

/** In the order of the skus, then by retailer. A sku alone means the product of each retailer that has it. */
function bySkus(rows: readonly NewestRow[], options: HistoryOptions, synced: SyncedFolder): NewestRow[] {
  const byRetailer = rows.toSorted((a, b) => (a.retailer < b.retailer ? -1 : a.retailer > b.retailer ? 1 : 0));
  const found = options.skus.map((sku) => {
    const exact = byRetailer.filter((row) => row.sku === sku);
    return exact.length > 0 ? exact : byRetailer.filter((row) => fold(row.sku) === fold(sku));
  });
  const missing = options.skus.filter((_, index) => found[index]?.length === 0);
  if (missing.length > 0) {
    throw unknownSkus(missing, rows, options, synced);
  }
  return [...new Set(found.flat())];
}

function unknownSkus(
  skus: readonly string[],
  rows: readonly NewestRow[],
  { demo }: HistoryOptions,
  { folder, name, days }: SyncedFolder,
): NotFoundError {
  const [value = ""] = skus;
  const range = days.length === 0 ? "" : ` from ${days[0]} to ${days.at(-1)}`;
  const path = value.includes("/") ? `, and ${quoted(value)} is not a folder of \`catalog sync\`` : "";
  const search = quoteCommand(["catalog", "history", "--search", "WORDS", demo ? "--demo" : folder]);
  return new NotFoundError(
    `${name} has no row of the sku ${skus.map(quoted).join(", ")}${range}${path}. \`${search}\` finds products by title, brand or model number.`,
    {
      value,
      suggestions: closest(
        value,
        rows.map(({ sku }) => sku),
      ),
    },
  );
}

/** Whether `--limit` is one of products, as of a table and a page; other formats are limited by their rows. */
export function isOfProducts({ output, page }: Pick<HistoryOptions, "output" | "page">): boolean {
  return output.format === "table" || page?.isOnly === true;
}

async function bySearch(
  rows: readonly NewestRow[],
  { search, list, output, page }: HistoryOptions,
  { name, reporter }: SyncedFolder,
): Promise<NewestRow[]> {
  const tests = search.map((word) => wordTest(fold(word), search.length === 1));
  const found = rows.filter((row) => {
    const [text, sku] = [fold(row.text), fold(row.sku)];
    return tests.every((isMatch) => isMatch(text, sku));
  });
  const words = JSON.stringify(search.join(" "));
  if (found.length === 0) {
    throw new NotFoundError(
      `No product of ${name} has the words ${words} in its title, brand or model number, or as the beginning of its sku.`,
      { flag: "--search" },
    );
  }
  const shown = isOfProducts({ output, page }) ? Math.min(list.limit ?? found.length, found.length) : found.length;
  if (shown > SEARCH_LIMIT) {
    const { truncate } = await import("../../cli/terminal/width.ts");
    const some = found.slice(0, 5).map(({ title }) => truncate(visible(title), SHOWN_TITLE));
    throw new UsageError(
      `${words} finds ${groupDigits(found.length)} products; add words, a --retailer or, for a table or a page, --limit ${SEARCH_LIMIT}. The first are:\n${some.join("\n")}`,
      { flag: "--search" },
    );
  }
  reporter.note(`${words} finds ${plural(found.length, "product")}`);
  return found;
}
