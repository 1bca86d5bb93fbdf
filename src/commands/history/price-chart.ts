import { html } from "../../cli/html/html-document.ts";
import { priceCell } from "../../cli/terminal/tables/cell.ts";
import { DAY, dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import { shownRange, stepPaths } from "./price-path.ts";
import type { DatedPrice, ProductSeries } from "./product-series.ts";

const [WIDTH, HEIGHT, BOTTOM, TOP] = [720, 360, 32, 52];

/** Maximum width of a label character on a narrow screen, in units of the drawing. */
const CHARACTER = 16;

/** Maximum number of days labelled on the time axis; more would not fit side by side on a narrow screen. */
const NAMED_DAYS = 3;

/**
 * A chart of the prices of products over time, since each has its present currency: one line per product, with a distinct end marker.
 * Lines are dashed across days without a price, and prices far from all others are cut off and marked.
 */
export function priceChart(series: readonly ProductSeries[], currency: string): Html {
  const days = series.flatMap(({ comparable }) => comparable.map(({ day }) => dayNumber(day)));
  const ranges = series.flatMap(({ comparable, last }) => shownRange(comparable, last));
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const ticks = ticksOf(Math.min(...ranges), Math.max(...ranges));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const left = 8 + CHARACTER * Math.max(currency.length, ...ticks.map((tick) => groupDigits(tick).length));
  const x = (day: number) => tenths(left + ((day - first) / (last - first || 1)) * (WIDTH - left - 8));
  const y = (price: number) => {
    const shown = Math.min(high, Math.max(low, price));
    return tenths(HEIGHT - BOTTOM - ((shown - low) / (high - low || 1)) * (HEIGHT - BOTTOM - TOP));
  };
  const xOf = ({ day }: DatedPrice) => x(dayNumber(day));
  const yOf = ({ selling_price }: DatedPrice) => y(selling_price);
  const levels = ticks.map(
    (tick) => html`<line class="grid" x1="${left}" x2="${WIDTH - 8}" y1="${y(tick)}" y2="${y(tick)}"/>
<text x="${left - 8}" y="${tenths(Number(y(tick)) + 5)}" text-anchor="end">${groupDigits(tick)}</text>`,
  );
  const named = labelledDays(first, last).map((day) => {
    const anchor = day === first ? "start" : day === last ? "end" : "middle";
    return html`<line class="grid" x1="${x(day)}" x2="${x(day)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>
<text x="${x(day)}" y="${HEIGHT - 8}" text-anchor="${anchor}">${dayOf(day * DAY)}</text>`;
  });
  const lines = series.map(({ title, comparable, last }, index) => {
    const { crawled, gaps } = stepPaths(comparable, xOf, yOf);
    const cuts = comparable
      .filter(({ selling_price }) => selling_price > high || selling_price < low)
      .map(
        (point) =>
          html`<path class="mark" d="M${tenths(Number(xOf(point)) - 6)} ${yOf(point)}h12l-6 ${point.selling_price > high ? -10 : 10}z"/>`,
      );
    const mark = html`<path class="mark" d="M${xOf(last)} ${yOf(last)}${markShape(index)}"/>`;
    const name = series.length === 1 ? "" : `${title}: `;
    const dots = comparable.map(
      (point) =>
        html`<circle cx="${xOf(point)}" cy="${yOf(point)}" r="${comparable.length > 90 ? 1.5 : 4}" data-tip="${name}${priceCell(point.selling_price, currency).text} ${currency} on ${point.day}"/>`,
    );
    return html`<g class="line${index}"><path class="gap" d="${gaps}"/><path d="${crawled}"/>${dots}${cuts}${mark}</g>`;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Selling prices in ${currency} from ${dayOf(first * DAY)} to ${dayOf(last * DAY)}">
<text x="4" y="24">${currency}</text>${levels}${named}${lines}</svg>`;
}

/** The end marker of a line, as path data relative to a point. Lines with similar colours get different markers. */
export function markShape(index: number): string {
  const shapes = [
    "m-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z",
    "m-6 -6h12v12h-12z",
    "m0 -8l8 8l-8 8l-8 -8z",
    "m0 -8l8 14h-16z",
  ];
  return shapes[index % shapes.length] ?? "";
}

/** The first day, the last one, and days between them at nearly equal distances. */
function labelledDays(first: number, last: number): number[] {
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

function tenths(value: number): string {
  return value.toFixed(1);
}
