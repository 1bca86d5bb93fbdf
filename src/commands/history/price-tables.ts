import type { ListOptions } from "../../cli/flags/list.ts";
import { sortBy } from "../../cli/order.ts";
import { sparkline } from "../../cli/terminal/chart.ts";
import { linked, type Screen, style } from "../../cli/terminal/style.ts";
import { percentCell, priceCell, textCell } from "../../cli/terminal/tables/cell.ts";
import {
  type ItemColumn,
  itemTable,
  numberColumn,
  priceColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned, renderTable } from "../../cli/terminal/tables/table.ts";
import { truncate, widthOf } from "../../cli/terminal/width.ts";
import { plural } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import { currencySince, isSamePrice, type PricePoint, type ProductSeries } from "./product-series.ts";

/** Cells of a title that are always shown. */
const SHORTEST_TITLE = 20;

const currencyOf = ({ currency }: PricePoint) => currency;
const lastCurrency = ({ last }: ProductSeries) => last.currency;

const SPARK_CELLS = 24;

/** One product: its facts, then the days on which its price changed. Several products: one line each, the cheapest first. */
export function historyText(
  series: readonly ProductSeries[],
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

function productFacts(product: ProductSeries, screen: Screen) {
  const { title, url, retailer, sku, points, comparable, lowest, highest, last, changes, isNewLow } = product;
  const since = currencySince(product);
  const price = (point: PricePoint) =>
    `${priceCell(point.selling_price, point.currency).text} ${point.currency} (${point.day})`;
  const name = visible(` · ${retailer} ${sku}`);
  // The title is cut, not the sku, which people copy.
  const room = Math.max(SHORTEST_TITLE, (screen.width ?? Number.POSITIVE_INFINITY) - widthOf(name));
  const shown = truncate(visible(title), room);
  return [
    style("bold", `${screen.links ? linked(shown, url) : shown}${name}`, screen.colour),
    `last ${price(last)}${isNewLow === undefined ? "" : isNewLow ? ", a new low" : ", not a new low"}`,
    `lowest ${price(lowest)}, highest ${price(highest)}${since === undefined ? "" : `, ${since}`}`,
    `${plural(changes, "change")} in ${plural(points.length, "day")}  ${lineOf(comparable, SPARK_CELLS * 2)}`,
  ].join("\n");
}

/** The days on which the price changed, newest first unless sorted otherwise. */
export function priceChanges({ points }: ProductSeries, { sort, limit }: ListOptions): readonly PricePoint[] {
  const changed = points.filter((point, index) => !isSamePrice(point, points[index - 1]));
  const member = (point: PricePoint, column: string) =>
    ({ ...point, crawl_date: point.day })[column as keyof PricePoint];
  return (sort === undefined ? changed.toReversed() : sortBy(changed, sort, member)).slice(0, limit);
}

export function extremeName(point: PricePoint, { lowest, highest }: ProductSeries): string {
  if (isSamePrice(point, lowest)) {
    return "lowest";
  }
  return isSamePrice(point, highest) ? "highest" : "";
}

function priceChangesTable(series: ProductSeries, list: ListOptions, screen: Screen) {
  const table = itemTable(priceChanges(series, list), [
    textColumn("since", (point) => point.day),
    priceColumn("price", (point) => point.selling_price, currencyOf),
    { heading: "%", rigid: true, cell: (point) => percentCell(point.percent) },
    priceColumn("mrp", (point) => point.mrp, currencyOf),
    numberColumn("discount", (point) => point.discount_pct),
    textColumn("currency", (point) => point.currency, { rigid: true }),
    textColumn("", (point) => extremeName(point, series)),
  ]);
  return renderTable(table, screen);
}

/** Those with a known price first, the cheapest first within each currency, unless sorted otherwise. */
export function productsInOrder(
  series: readonly ProductSeries[],
  { sort, limit }: ListOptions,
): readonly ProductSeries[] {
  const member = (one: ProductSeries, column: string) =>
    ({ ...one, ...one.last, crawl_date: one.last.day })[column as keyof (ProductSeries & PricePoint)];
  const byPrice = sortBy(series, { column: "selling_price", descending: false }, member);
  const cheapest = sortBy(byPrice, { column: "currency", descending: false }, member);
  const known = sortBy(cheapest, { column: "isKnown", descending: true }, member);
  return (sort === undefined ? known : sortBy(series, sort, member)).slice(0, limit);
}

function productsTable(series: readonly ProductSeries[], list: ListOptions, screen: Screen) {
  const ordered = productsInOrder(series, list);
  const lows: ItemColumn<ProductSeries> = {
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
    priceColumn("last price", ({ last }) => last.selling_price, lastCurrency),
    ...(ordered.some(({ isNewLow }) => isNewLow) ? [lows] : []),
    textColumn("currency", ({ last }) => last.currency, { rigid: true }),
    textColumn("seen", ({ last }) => last.day, { rigid: true }),
    priceColumn("lowest", ({ lowest }) => lowest.selling_price, lastCurrency),
    priceColumn("highest", ({ highest }) => highest.selling_price, lastCurrency),
    numberColumn("changes", ({ changes }) => changes),
    textColumn("prices", ({ comparable }) => lineOf(comparable, SPARK_CELLS)),
  ]);
  return renderCaptioned(table, ["retailer", "currency"], screen);
}

function lineOf(points: readonly PricePoint[], cells: number): string {
  return sparkline(
    points.map(({ selling_price }) => selling_price),
    cells,
  );
}
