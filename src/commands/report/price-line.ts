import { dayNumber } from "../../contract/values/day-arithmetic.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { html } from "../../output/html-document.ts";
import { counted, groupDigits } from "../../output/terminal/counted.ts";
import { type Series, samePrice } from "../../prices/series.ts";

/** Size of the drawing in its own units, and the space around the line, so that it is not cut. */
const [WIDTH, HEIGHT, EDGE] = [112, 28, 3];

/** The prices of a product as a small line with a dot at the last one: those in its last currency. */
export function priceLine({ points, last, lowest, highest }: Series): Html {
  const drawn = points.filter(({ currency }) => currency === last.currency);
  const [first, end] = [dayNumber(drawn[0]?.day ?? last.day), dayNumber(last.day)];
  const [low, high] = [lowest.selling_price, highest.selling_price];
  const x = (day: string) => tenths(EDGE + ((dayNumber(day) - first) / (end - first || 1)) * (WIDTH - 2 * EDGE));
  const y = (price: number) =>
    tenths(low === high ? HEIGHT / 2 : HEIGHT - EDGE - ((price - low) / (high - low)) * (HEIGHT - 2 * EDGE));
  const steps = drawn.flatMap((point, index) => {
    const before = drawn[index - 1];
    if (before === undefined) {
      return [`M${x(point.day)} ${y(point.selling_price)}`];
    }
    return samePrice(before, point) ? [] : [`H${x(point.day)}V${y(point.selling_price)}`];
  });
  const range =
    low === high
      ? `always ${groupDigits(low)}`
      : `lowest ${groupDigits(low)} on ${lowest.day}, highest ${groupDigits(high)} on ${highest.day}`;
  const title = `${counted(drawn.length, "day")} from ${drawn[0]?.day} to ${last.day}: ${range} ${last.currency}`;
  return html`<svg class="prices" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}"><title>${title}</title><path d="${steps.join("")}H${x(last.day)}"/><circle cx="${x(last.day)}" cy="${y(last.selling_price)}" r="2.5"/></svg>`;
}

/** A coordinate, to a tenth of a unit. */
function tenths(value: number): string {
  return value.toFixed(1);
}
