import { html } from "../../cli/html/html-document.ts";
import { DAY, dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import type { ProductSeries } from "./product-series.ts";

/** Size of the drawing, in its own units. */
const [WIDTH, HEIGHT, BOTTOM, TOP] = [720, 360, 32, 52];

/** Most units that a character of a label takes, on a narrow screen. */
const CHARACTER = 16;

/** Most days that the time axis names; more would not fit side by side on a narrow screen. */
const NAMED_DAYS = 3;

/** The prices of products in one currency over their days, a line each. */
export function priceChart(series: readonly ProductSeries[], currency: string): Html {
  const drawn = series.map((one) => ({ ...one, points: one.points.filter((point) => point.currency === currency) }));
  const all = drawn.flatMap(({ points }) => points);
  const days = all.map(({ day }) => dayNumber(day));
  const prices = all.map(({ selling_price }) => selling_price);
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const ticks = ticksOf(Math.min(...prices), Math.max(...prices));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const left = 8 + CHARACTER * Math.max(currency.length, ...ticks.map((tick) => groupDigits(tick).length));
  const x = (day: number) => tenths(left + ((day - first) / (last - first || 1)) * (WIDTH - left - 8));
  const y = (price: number) => tenths(HEIGHT - BOTTOM - ((price - low) / (high - low || 1)) * (HEIGHT - BOTTOM - TOP));
  const levels = ticks.map(
    (tick) => html`<line class="grid" x1="${left}" x2="${WIDTH - 8}" y1="${y(tick)}" y2="${y(tick)}"/>
<text x="${left - 8}" y="${tenths(Number(y(tick)) + 5)}" text-anchor="end">${groupDigits(tick)}</text>`,
  );
  const named = daysBetween(first, last).map((day) => {
    const anchor = day === first ? "start" : day === last ? "end" : "middle";
    return html`<line class="grid" x1="${x(day)}" x2="${x(day)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>
<text x="${x(day)}" y="${HEIGHT - 8}" text-anchor="${anchor}">${dayOf(day * DAY)}</text>`;
  });
  const lines = drawn.map(({ title, points }, index) => {
    const steps = points.map(({ day, selling_price }, position) => {
      const [right, height] = [x(dayNumber(day)), y(selling_price)];
      return position === 0 ? `M${right} ${height}` : `H${right}V${height}`;
    });
    const name = series.length === 1 ? "" : `${title}: `;
    const dots = points.map(
      ({ day, selling_price }) =>
        html`<circle cx="${x(dayNumber(day))}" cy="${y(selling_price)}" r="${points.length > 90 ? 1.5 : 4}" data-tip="${name}${groupDigits(selling_price)} ${currency} on ${day}"/>`,
    );
    return html`<g class="line${index}"><path d="${steps.join("")}"/>${dots}</g>`;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Selling prices in ${currency} from ${dayOf(first * DAY)} to ${dayOf(last * DAY)}">
<text x="4" y="24">${currency}</text>${levels}${named}${lines}</svg>`;
}

/** The first day, the last one, and days between them at nearly equal distances. */
function daysBetween(first: number, last: number): number[] {
  const parts = Math.min(NAMED_DAYS - 1, last - first);
  const days = Array.from(
    { length: parts + 1 },
    (_, index) => first + Math.round(((last - first) * index) / (parts || 1)),
  );
  return [...new Set(days)];
}

/** Four to eight round values that span the prices. */
function ticksOf(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const magnitude = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => span / size <= 5) ?? span;
  const start = Math.floor(low / step);
  const end = Math.max(Math.ceil(high / step), start + 1);
  return Array.from({ length: end - start + 1 }, (_, index) => Number(((start + index) * step).toPrecision(12)));
}

/** A coordinate, to a tenth of a unit. */
function tenths(value: number): string {
  return value.toFixed(1);
}
