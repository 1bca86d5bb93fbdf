import type { Context } from "../../cli/context.ts";
import { sortBy } from "../../cli/order.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type ListedProduct, readProductList } from "../../cli/source/product-list.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { numberCell } from "../../cli/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn } from "../../cli/terminal/tables/item-table.ts";
import type { Table } from "../../cli/terminal/tables/table.ts";
import { writeList } from "../../cli/write-list.ts";
import { UsageError } from "../../contract/errors.ts";
import { splitRcd } from "../../contract/filters.ts";
import { closest } from "../../contract/values/closest.ts";
import { type DateExpression, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { firstFew, groupDigits, plural, quoted } from "../../contract/values/phrases.ts";
import type { ColumnType } from "../../export/formats/encoder.ts";
import { type Basket, collectBasket } from "../../folder/prices/basket.ts";
import {
  basketGaps,
  basketIndex,
  firstPricedDay,
  type IndexDays,
  type IndexRow,
} from "../../folder/prices/basket-index.ts";
import { withDecimals } from "../../folder/prices/exact.ts";
import { INDEX_COLUMNS, type IndexOptions } from "./options.ts";

/** Most names in a message. */
const NAMED = 5;

export async function runIndex(options: IndexOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const lines = await readProductList(options.basket, context, synced.signal);
    checkRetailers(lines, options.basket === "-" ? "the list on stdin" : options.basket, synced);
    const { base, ...days } = indexDays(options, synced, context.now());
    const last = base !== undefined && base > days.end ? base : days.end;
    const read = synced.days.filter((day) => day <= last);
    const basket = await withFolderPrices({ ...synced, days: read }, context, (prices) => collectBasket(prices, lines));
    const baseDay = base ?? firstPricedDay(basket, days);
    await writeIndex(basketIndex(basket, baseDay, days), synced, options, context);
    reportGaps(basket, baseDay, days, synced);
  });
}

/** @throws UsageError if the folder has no row on the days, or does not know the base day */
function indexDays(
  { base, startDate, endDate, maxAge }: IndexOptions,
  { name, days }: SyncedFolder,
  now: number,
): IndexDays & { base: string | undefined } {
  const [first, latest = ""] = [days[0], days.at(-1)];
  if (first === undefined) {
    throw new UsageError(`${name} holds no rows that the filters match.`);
  }
  const dayFor = (expression: DateExpression) => resolveDay(expression, { today: dayOf(now), latest }) ?? "";
  const [start, end] = [dayFor(startDate ?? first), dayFor(endDate ?? latest)];
  const held = `${name} has ${first} to ${latest}`;
  const firstInRange = days.find((day) => day >= start && day <= end);
  if (firstInRange === undefined) {
    const flag = startDate === undefined ? "--end-date" : "--start-date";
    throw new UsageError(`${flag}: there are no rows from ${start} to ${end}; ${held}.`, { flag });
  }
  const day = base === undefined ? undefined : dayFor(base);
  if (day !== undefined && (day < first || day > latest)) {
    throw new UsageError(`--base ${base}: ${held}. Name one of these days.`, { flag: "--base", suggestions: [first] });
  }
  return { base: day, start: firstInRange, end, maxAge };
}

/** @throws UsageError if the folder has no such retailer */
function checkRetailers(basket: readonly ListedProduct[], file: string, { name, state }: SyncedFolder): void {
  const rcds = Object.values(state.days).flatMap(({ counts }) => Object.keys(counts));
  const known = new Set([...new Set(rcds)].map((rcd) => splitRcd(rcd).retailer));
  const wrong = basket.find(({ retailer }) => retailer !== undefined && !known.has(retailer));
  if (wrong?.retailer !== undefined) {
    throw new UsageError(`${file} line ${wrong.line}: there is no retailer ${quoted(wrong.retailer)} in ${name}.`, {
      suggestions: closest(wrong.retailer, [...known]),
    });
  }
}

/** The types of the columns in Parquet that are not those of a product row. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  index: { kind: "number", nullable: true },
  basket_value: { kind: "number", nullable: true },
  base_value: { kind: "number", nullable: true },
  products_priced: { kind: "integer", nullable: false },
  products: { kind: "integer", nullable: false },
  base_date: { kind: "date", nullable: false },
};

async function writeIndex(
  rows: readonly IndexRow[],
  { reporter }: SyncedFolder,
  options: IndexOptions,
  context: Context,
): Promise<void> {
  const sorted = sortBy(rows, options.list.sort, (row, column) => row[column as keyof IndexRow]);
  const view = {
    recordOf: (row: IndexRow) => row,
    known: INDEX_COLUMNS,
    types: TYPES,
    tableOf: indexTable,
    captions: ["retailer", "currency", "products"],
  };
  await writeList(sorted, view, options, reporter, context);
}

function indexTable(rows: readonly IndexRow[]): Table {
  return itemTable(rows, [
    textColumn("retailer", ({ retailer }) => retailer),
    textColumn("day", ({ crawl_date }) => crawl_date, { rigid: true }),
    {
      heading: "index",
      rigid: true,
      cell: ({ index }) => numberCell(index === null ? undefined : withDecimals(index, 2)),
    },
    numberColumn("basket", ({ basket_value }) => basket_value),
    textColumn("currency", ({ currency }) => currency, { rigid: true }),
    numberColumn("priced", ({ products_priced }) => products_priced),
    numberColumn("products", ({ products }) => products),
  ]);
}

/** Says what the index is about, and what of the basket is not in it. */
function reportGaps(basket: Basket, base: string, { maxAge }: IndexDays, { reporter, name }: SyncedFolder): void {
  const { missing } = basket;
  if (missing.length > 0) {
    reporter.warn(`${name} has no price of ${firstFew(missing.map(quoted), NAMED)}, so the index leaves them out`);
  }
  reporter.note(`index 100 on ${base}`);
  for (const { retailer, products, lacking, complete = "" } of basketGaps(basket, base, maxAge)) {
    const age = maxAge === undefined ? "" : ` of at most ${plural(maxAge, "day")}`;
    const hint = complete > base ? `; all that have one have it from ${complete} on (--base)` : "";
    reporter.note(
      `${retailer}: ${groupDigits(lacking)} of ${plural(products, "product")} left out, without a price${age} on ${base}${hint}`,
    );
  }
}
