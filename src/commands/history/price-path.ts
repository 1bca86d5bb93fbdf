import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { DatedPrice } from "./product-series.ts";

/**
 * The price line as the data of two SVG paths: one steps through the days with a price, the other, which is drawn dashed,
 * bridges the days without one.
 *
 * @param points oldest first, one a day
 */
export function stepPaths(
  points: readonly DatedPrice[],
  x: (point: DatedPrice) => string,
  y: (point: DatedPrice) => string,
): { crawled: string; gaps: string } {
  let [crawled, gaps] = ["", ""];
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    if (before === undefined) {
      crawled += `M${x(point)} ${y(point)}`;
    } else if (dayNumber(point.day) - dayNumber(before.day) > 1) {
      gaps += `M${x(before)} ${y(before)}H${x(point)}`;
      crawled += `M${x(point)} ${y(before)}V${y(point)}`;
    } else {
      crawled += `H${x(point)}${y(point) === y(before) ? "" : `V${y(point)}`}`;
    }
  }
  return { crawled, gaps };
}

/**
 * The prices at the bottom and the top of the drawing. Outliers, far from the last price and from the middle 80 %, are
 * clipped.
 */
export function shownRange(points: readonly DatedPrice[], last: DatedPrice): [low: number, high: number] {
  const prices = points.map(({ selling_price }) => selling_price).sort((a, b) => a - b);
  const at = (share: number) => prices[Math.round(share * (prices.length - 1))] ?? last.selling_price;
  const [low, high] = [Math.min(at(0.1), last.selling_price), Math.max(at(0.9), last.selling_price)];
  const room = 2 * Math.max(high - low, high / 4);
  return [Math.max(at(0), low - room), Math.min(at(1), high + room)];
}
