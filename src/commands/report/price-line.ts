import { html } from "../../cli/html/html-document.ts";
import { priceCell } from "../../cli/terminal/tables/cell.ts";
import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { plural } from "../../contract/values/phrases.ts";
import { shownRange, stepPaths } from "../history/price-path.ts";
import type { DatedPrice, PriceCourse } from "../history/product-series.ts";

/** Size of the drawing in its own units, and the space around the line, so that it is not cut. */
const [WIDTH, HEIGHT, EDGE] = [112, 28, 4];

/**
 * The prices of a product as a small line with a dot at the last one: those since its currency last changed. The line is
 * dashed through days without a price. A spike is cut off and marked, because it would flatten all other prices.
 */
export function priceLine({ comparable: drawn, last, lowest, highest }: PriceCourse<DatedPrice>): Html {
  const [first = last] = drawn;
  const [start, end] = [dayNumber(first.day), dayNumber(last.day)];
  const [low, high] = shownRange(drawn, last);
  const tenths = (coordinate: number) => coordinate.toFixed(1);
  const x = ({ day }: DatedPrice) =>
    tenths(EDGE + ((dayNumber(day) - start) / (end - start || 1)) * (WIDTH - 2 * EDGE));
  const y = ({ selling_price }: DatedPrice) => {
    const price = Math.min(high, Math.max(low, selling_price));
    return tenths(low === high ? HEIGHT / 2 : HEIGHT - EDGE - ((price - low) / (high - low)) * (HEIGHT - 2 * EDGE));
  };
  const { crawled, gaps } = stepPaths(drawn, x, y);
  const cut = drawn.filter(({ selling_price }) => selling_price > high || selling_price < low);
  const marks = cut.map((point) => {
    const [tip, foot] = point.selling_price > high ? [0, EDGE] : [HEIGHT, HEIGHT - EDGE];
    return html`<path class="cut" d="M${tenths(Number(x(point)) - 3)} ${foot}h6L${x(point)} ${tip}z"/>`;
  });
  const dashes = gaps === "" ? "" : html`<path class="gap" d="${gaps}"/>`;
  const title = describe(drawn, { first, last, lowest, highest }, cut.length);
  return html`<svg class="prices" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}"><title>${title}</title>${dashes}<path d="${crawled}"/>${marks}<circle cx="${x(last)}" cy="${y(last)}" r="2.5"/></svg>`;
}

function describe(
  drawn: readonly DatedPrice[],
  { first, last, lowest, highest }: Record<"first" | "last" | "lowest" | "highest", DatedPrice>,
  cut: number,
): string {
  const { currency } = last;
  const price = ({ selling_price }: DatedPrice) => priceCell(selling_price, currency).text;
  const range =
    lowest.selling_price === highest.selling_price
      ? `always ${price(lowest)}`
      : `lowest ${price(lowest)} on ${lowest.day}, highest ${price(highest)} on ${highest.day}`;
  const spikes = cut === 0 ? "" : `; ${plural(cut, "price")} cut off (▲▼)`;
  return `${plural(drawn.length, "day")} from ${first.day} to ${last.day}: ${range} ${currency}${spikes}`;
}
