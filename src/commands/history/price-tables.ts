import type { ListOptions } from "../../cli/flags/list.ts";
import { sortBy } from "../../cli/order.ts";
import { sparkline } from "../../cli/terminal/chart.ts";
import { linked, type Screen, style } from "../../cli/terminal/style.ts";
import { numberCell, percentCell, textCell } from "../../cli/terminal/tables/cell.ts";
import {
  type ItemColumn,
  itemTable,
  numberColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned, renderTable } from "../../cli/terminal/tables/table.ts";
import { visible } from "../../cli/terminal/visible.ts";
import { truncate, widthOf } from "../../cli/terminal/width.ts";
import { counted } from "../../contract/values/counted.ts";
import { roundedPercent } from "../../folder/prices/observation.ts";
import { type Series, type SeriesPoint, samePrice } from "../../folder/prices/series.ts";

/** The record of a day, in the order of the columns; `percent` has two decimals. */
function historyRecord({ title }: Series, point: SeriesPoint) {
  return {
    retailer: point.retailer,
    sku: point.sku,
    title,
    department: point.department,
    category: point.category,
    crawl_date: point.day,
    currency: point.currency,
    mrp: point.mrp,
    selling_price: point.selling_price,
    discount_pct: point.discount_pct,
    percent: roundedPercent(point.percent),
  };
}

export type HistoryRecord = ReturnType<typeof historyRecord>;

/** A record of each day of the products, in the order and up to the limit of the list. */
export function recordsInOrder(series: readonly Series[], { sort, limit }: ListOptions): readonly HistoryRecord[] {
  const records = series.flatMap((one) => one.points.map((point) => historyRecord(one, point)));
  return sortBy(records, sort, (record, column) => record[column as keyof HistoryRecord]).slice(0, limit);
}

/** Cells of a title that are always shown. */
const SHORTEST_TITLE = 20;

/** Width of a line of prices. */
const SPARK_CELLS = 24;

/** The prices of a product, with the address of its page; undefined if that was not looked up. */
export interface LinkedSeries extends Series {
  url: string | undefined;
}

/**
 * One product: its facts, then the days on which its price changed. Several products: one line each, the cheapest first.
 * With a sort column, the days themselves are listed.
 */
export function historyText(
  series: readonly LinkedSeries[],
  list: ListOptions,
  screen: Screen,
): { text: string; hidden: readonly string[] } {
  const [only, ...others] = series;
  if (only !== undefined && others.length === 0) {
    const facts = productFacts(only, screen);
    const table = priceChangesTable(only, list, screen);
    return { text: `${facts}\n\n${table.text}`, hidden: table.hidden };
  }
  return productsTable(series, list, screen);
}

function productFacts(
  { title, url, retailer, sku, points, lowest, highest, last, changes, isNewLow }: LinkedSeries,
  screen: Screen,
) {
  const price = (point: SeriesPoint) => `${numberCell(point.selling_price).text} ${point.currency} (${point.day})`;
  const name = visible(` · ${retailer} ${sku}`);
  // The title is cut, not the sku, which people copy.
  const room = Math.max(SHORTEST_TITLE, (screen.width ?? Number.POSITIVE_INFINITY) - widthOf(name));
  const shown = truncate(visible(title), room);
  return [
    style("bold", `${screen.links ? linked(shown, url) : shown}${name}`, screen.colour),
    `last ${price(last)}${isNewLow ? ", a new low" : points.length > 1 ? ", not a new low" : ""}`,
    `lowest ${price(lowest)}, highest ${price(highest)}`,
    `${counted(changes, "change")} in ${counted(points.length, "day")}  ${lineOf(points, SPARK_CELLS * 2)}`,
  ].join("\n");
}

/** The days on which the price changed, newest first unless sorted otherwise. */
export function priceChanges({ points }: Series, { sort, limit }: ListOptions): readonly SeriesPoint[] {
  const changed = points.filter((point, index) => {
    const before = points[index - 1];
    return before === undefined || !samePrice(before, point);
  });
  const member = (point: SeriesPoint, column: string) =>
    ({ ...point, crawl_date: point.day })[column as keyof SeriesPoint];
  return (sort === undefined ? changed.toReversed() : sortBy(changed, sort, member)).slice(0, limit);
}

/** Whether a price is the lowest or the highest one, in words. */
export function extremeName(point: SeriesPoint, { lowest, highest }: Series): string {
  if (samePrice(point, lowest)) {
    return "lowest";
  }
  return samePrice(point, highest) ? "highest" : "";
}

function priceChangesTable(series: Series, list: ListOptions, screen: Screen) {
  const table = itemTable(priceChanges(series, list), [
    textColumn("since", (point) => point.day),
    numberColumn("price", (point) => point.selling_price),
    { heading: "%", rigid: true, cell: (point) => percentCell(point.percent) },
    numberColumn("mrp", (point) => point.mrp),
    numberColumn("discount", (point) => point.discount_pct),
    textColumn("currency", (point) => point.currency, { rigid: true }),
    textColumn("", (point) => extremeName(point, series)),
  ]);
  return renderTable(table, screen);
}

/** The cheapest first within each currency, unless sorted otherwise. */
export function productsInOrder(
  series: readonly LinkedSeries[],
  { sort, limit }: ListOptions,
): readonly LinkedSeries[] {
  const member = (one: Series, column: string) => historyRecord(one, one.last)[column as keyof HistoryRecord];
  const byPrice = sortBy(series, { column: "selling_price", descending: false }, member);
  const cheapest = sortBy(byPrice, { column: "currency", descending: false }, member);
  return (sort === undefined ? cheapest : sortBy(series, sort, member)).slice(0, limit);
}

/** One line a product. */
function productsTable(series: readonly LinkedSeries[], list: ListOptions, screen: Screen) {
  const ordered = productsInOrder(series, list);
  const lows: ItemColumn<LinkedSeries> = {
    heading: "",
    rigid: true,
    cell: ({ isNewLow }) => ({ ...textCell(isNewLow ? "new low" : ""), style: "green" }),
  };
  const table = itemTable(ordered, [
    titleColumn(
      ({ title }) => title,
      ({ url }) => url,
    ),
    textColumn("retailer", ({ retailer }) => retailer),
    textColumn("sku", ({ sku }) => sku, { minimum: WHOLE_SKU }),
    numberColumn("last price", ({ last }) => last.selling_price),
    ...(ordered.some(({ isNewLow }) => isNewLow) ? [lows] : []),
    textColumn("currency", ({ last }) => last.currency, { rigid: true }),
    textColumn("seen", ({ last }) => last.day, { rigid: true }),
    numberColumn("lowest", ({ lowest }) => lowest.selling_price),
    numberColumn("highest", ({ highest }) => highest.selling_price),
    numberColumn("changes", ({ changes }) => changes),
    textColumn("prices", ({ points }) => lineOf(points, SPARK_CELLS)),
  ]);
  return renderCaptioned(table, ["retailer", "currency"], screen);
}

function lineOf(points: readonly SeriesPoint[], cells: number): string {
  return sparkline(
    points.map(({ selling_price }) => selling_price),
    cells,
  );
}
