import type { Context } from "../../cli/context.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { quoted } from "../../cli/flags/values.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { quoteCommand } from "../../cli/terminal/quote.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { recordTable } from "../../cli/terminal/tables/row-table.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { visible } from "../../cli/terminal/visible.ts";
import { truncate } from "../../cli/terminal/width.ts";
import { writeRecords } from "../../cli/write-list.ts";
import { writePage } from "../../cli/write-rows.ts";
import { UsageError } from "../../contract/errors.ts";
import { counted, groupDigits } from "../../contract/values/counted.ts";
import type { Prices } from "../../folder/index/day-prices.ts";
import { addressesOf } from "../../folder/index/product-addresses.ts";
import { type FoundProduct, sameSkus, searchProducts, similarSkus } from "../../folder/prices/search-products.ts";
import { collectSeries, type Series } from "../../folder/prices/series.ts";
import { HISTORY_COLUMNS, type HistoryOptions } from "./options.ts";
import { type HistoryRecord, historyText, recordsInOrder } from "./price-tables.ts";

/** Most products of a search that are shown; for more, the user is asked to narrow it or to limit the table. */
const SEARCH_LIMIT = 50;

/** Cells of a title in an error. */
const SHOWN_TITLE = 70;

export async function runHistory(options: HistoryOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { name, reporter } = synced;
    const { output, columns, list, page } = options;
    const found = await withFolderPrices(synced, context, (prices) => findSeries(options, synced, prices));
    const screen = screenOf(context, options);
    const isLinked = page !== undefined || (screen.links && !hasRowFormat(output));
    const addressOf = await addressesOf(synced, isLinked ? found.map(({ last }) => last) : []);
    const series = found.map((one) => ({ ...one, url: addressOf(one.last) }));
    const writeListing = async () => {
      const records = recordsInOrder(series, list);
      if (hasRowFormat(output)) {
        const view = { recordOf: (record: HistoryRecord) => record, known: HISTORY_COLUMNS };
        await writeRecords(records, view, { output, columns }, reporter, context);
        return;
      }
      const table =
        columns === undefined
          ? historyText(series, list, screen)
          : renderTable(recordTable(records, HISTORY_COLUMNS, columns), screen);
      await showTable(table, output, list, reporter, context);
    };
    if (page === undefined) {
      await writeListing();
      return;
    }
    const { historyPage } = await import("./history-page.ts");
    const html = historyPage(series, { folder: name, now: context.now(), list });
    await writePage(html, page, context, writeListing);
    reporter.note(`${page.file}: the prices of ${counted(series.slice(0, list.limit).length, "product")}`);
  });
}

async function findSeries(options: HistoryOptions, synced: SyncedFolder, prices: Prices): Promise<Series[]> {
  if (options.skus.length === 0) {
    return await collectSeries(prices, await findProducts(options, synced, prices));
  }
  const isMissing = (sku: string, series: readonly Series[]) => series.every((found) => found.sku !== sku);
  const find = (skus: readonly string[]) =>
    collectSeries(
      prices,
      skus.map((sku) => ({ sku })),
    );
  const exact = await find(options.skus);
  if (!options.skus.some((sku) => isMissing(sku, exact))) {
    return exact;
  }
  const spelled = options.skus.map((sku) => (isMissing(sku, exact) ? sameSkus(prices.listings, sku) : [sku]));
  const series = await find(spelled.flat());
  const missing = options.skus.filter((_, index) => spelled[index]?.every((sku) => isMissing(sku, series)));
  const [first] = missing;
  if (first !== undefined) {
    throw unknownSkus(missing, options, synced, similarSkus(prices.listings, first));
  }
  return series;
}

function unknownSkus(
  skus: readonly string[],
  { demo }: HistoryOptions,
  { folder, name, days }: SyncedFolder,
  suggestions: readonly string[],
): UsageError {
  const [value = ""] = skus;
  const range = days.length === 0 ? "" : ` from ${days[0]} to ${days.at(-1)}`;
  const path = value.includes("/") ? `, and ${quoted(value)} is not a folder of \`catalog sync\`` : "";
  const search = quoteCommand(["catalog", "history", "--search", "WORDS", demo ? "--demo" : folder]);
  return new UsageError(
    `${name} has no row of the sku ${skus.map(quoted).join(", ")}${range}${path}. \`${search}\` finds products by title, brand or model number.`,
    { value, suggestions },
  );
}

/** @throws UsageError if the words find nothing or too many products */
async function findProducts(
  { search, list, output, page }: HistoryOptions,
  { name, reporter }: SyncedFolder,
  prices: Prices,
): Promise<readonly FoundProduct[]> {
  const found = await searchProducts(prices, search);
  const words = JSON.stringify(search.join(" "));
  if (found.length === 0) {
    throw new UsageError(
      `No product of ${name} has the words ${words} in its title, brand or model number, or as the beginning of its sku.`,
      { flag: "--search" },
    );
  }
  // Only a table and a page are limited by products; other formats are limited by their rows.
  const isOfProducts = output.format === "table" || page?.isOnly;
  const shown = isOfProducts ? Math.min(list.limit ?? found.length, found.length) : found.length;
  if (shown > SEARCH_LIMIT) {
    const some = found.slice(0, 5).map(({ title }) => truncate(visible(title), SHOWN_TITLE));
    throw new UsageError(
      `${words} finds ${groupDigits(found.length)} products; add words, a --retailer or, for a table or a page, --limit ${SEARCH_LIMIT}. The first are:\n${some.join("\n")}`,
      { flag: "--search" },
    );
  }
  reporter.note(`${words} finds ${counted(found.length, "product")}`);
  return found;
}
