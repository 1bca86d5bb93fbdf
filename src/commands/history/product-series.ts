import { groupBy } from "../../contract/values/group-by.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";

export interface DatedPrice {
  day: string;
  selling_price: number;
  currency: string;
  /** Prices are compared within a series, which ends where the currency changes. */
  series: number;
}

export interface PricePoint extends DatedPrice {
  /** Undefined if it has more digits than a price of the index. */
  mrp: number | undefined;
  discount_pct: number;
  /** Change from the previous point of the series, in percent; undefined for the first day, and between two currencies. */
  percent: number | undefined;
}

/** The prices of a product over its days. */
export interface PriceCourse<Point extends DatedPrice> {
  /** Oldest first, one a day. */
  points: readonly Point[];
  /** The points of the last series: only they can be compared with the last price. */
  comparable: readonly Point[];
  /** Of these, each the newest day with that price. */
  lowest: Point;
  highest: Point;
  last: Point;
}

/** A product, one sku of one retailer, with its prices. */
export interface ProductSeries extends PriceCourse<PricePoint> {
  retailer: string;
  sku: string;
  /** Title, department and category are those of the last day. */
  title: string;
  department: string;
  category: string;
  url: string | undefined;
  /** Days on which the selling price or the currency changed. */
  changes: number;
  /** Whether the last price is below each earlier one of its series, also before the days that are shown; undefined without any. */
  isNewLow: boolean | undefined;
  /** Whether the last price is known on the newest day: at most `--max-age` old, or 14 days without it. */
  isKnown: boolean;
}

/** The products of an answer to `history.sql` in its order. One that has only suspect prices is not among them. */
export function seriesOfRows(rows: readonly AnswerRow[]): ProductSeries[] {
  const counting = rows.filter(({ suspect }) => suspect !== true);
  return [...groupBy(counting, ({ retailer, sku }) => `${retailer}\0${sku}`).values()].flatMap((own) => {
    const last = own.at(-1);
    return last === undefined ? [] : [productOf(own, last)];
  });
}

function productOf(rows: readonly AnswerRow[], newest: AnswerRow): ProductSeries {
  const points = rows.map(pointOf);
  return {
    retailer: String(newest.retailer),
    sku: String(newest.sku),
    title: String(newest.title),
    department: String(newest.department),
    category: String(newest.category),
    url: typeof newest.url === "string" ? newest.url : undefined,
    ...courseOf(points, pointOf(newest)),
    changes: points.filter((point, index) => index > 0 && !isSamePrice(point, points[index - 1])).length,
    isNewLow: typeof newest.is_new_low === "boolean" ? newest.is_new_low : undefined,
    isKnown: newest.is_known === true,
  };
}

/** @param last the newest of the points */
export function courseOf<Point extends DatedPrice>(points: readonly Point[], last: Point): PriceCourse<Point> {
  const comparable = points.filter(({ series }) => series === last.series);
  const extreme = (isBetter: (a: number, b: number) => boolean) =>
    comparable.reduce((best, point) => (isBetter(best.selling_price, point.selling_price) ? best : point));
  return { points, comparable, last, lowest: extreme((a, b) => a < b), highest: extreme((a, b) => a > b) };
}

/** Such as `since 2026-11-03 in EUR`, if the currency was another one before; otherwise undefined. */
export function currencySince({ points, comparable }: PriceCourse<DatedPrice>): string | undefined {
  const [first] = comparable;
  return first === undefined || first === points[0] ? undefined : `since ${first.day} in ${first.currency}`;
}

function pointOf(row: AnswerRow): PricePoint {
  return {
    day: String(row.crawl_date),
    selling_price: Number(row.selling_price),
    currency: String(row.currency),
    mrp: typeof row.mrp === "number" ? row.mrp : undefined,
    discount_pct: Number(row.discount_pct),
    percent: typeof row.percent === "number" ? row.percent : undefined,
    series: Number(row.series),
  };
}

export function isSamePrice(a: PricePoint, b: PricePoint | undefined): boolean {
  return b !== undefined && a.selling_price === b.selling_price && a.series === b.series;
}
