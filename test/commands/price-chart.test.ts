import { expect, test } from "vitest";
import { priceChart } from "../../src/commands/history/price-chart.ts";
import { extremeName } from "../../src/commands/history/price-tables.ts";
import { seriesOfRows } from "../../src/commands/history/product-series.ts";
import { priceLine } from "../../src/commands/report/price-line.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";

/** The prices of a product on its days, counted from the first. */
function seriesOf(sku: string, prices: Readonly<Record<number, number>>, seriesOn: (day: number) => number = () => 1) {
  return seriesOfRows(
    Object.entries(prices).map(([day, selling_price]) => ({
      ...{ retailer: "acme", sku, title: sku, currency: "EUR", mrp: 20, discount_pct: 0, suspect: false },
      series: seriesOn(Number(day)),
      ...{ crawl_date: addDays("2026-01-01", Number(day)), selling_price },
    })),
  );
}

const DAILY = Object.fromEntries(Array.from({ length: 20 }, (_, day) => [day, 10]));

/** The numbers of paths by class. */
function pathsOf(svg: string) {
  const count = (pattern: RegExp) => svg.match(pattern)?.length ?? 0;
  return {
    gaps: count(/class="gap" d="M/g),
    cuts: count(/class="cut"/g) + count(/class="mark" d="M[\d.]+ [\d.]+h12/g),
  };
}

test.each([
  ["daily prices", DAILY, { gaps: 0, cuts: 0 }],
  ["days without a price", { 0: 10, 1: 10, 4: 11 }, { gaps: 1, cuts: 0 }],
  ["a spike", { ...DAILY, 7: 400 }, { gaps: 0, cuts: 1 }],
  ["a price far below", { ...DAILY, 7: 0.1 }, { gaps: 0, cuts: 1 }],
  ["a last price that is far away", { ...DAILY, 19: 400 }, { gaps: 0, cuts: 0 }],
])("charts of %s are dashed in gaps and cut off at spikes", (_, prices, expected) => {
  const series = seriesOf("one", prices);
  expect(pathsOf(String(priceChart(series, "EUR").markup))).toEqual(expected);
  expect(series.map((one) => pathsOf(String(priceLine(one).markup)))).toEqual([expected]);
});

test("charts begin where the currency last changed, also if it changed back", () => {
  const [product] = seriesOf("one", { 0: 10, 1: 20, 9: 10, 10: 11 }, (day) => (day < 2 ? 1 : 3));
  const [alone] = seriesOf("one", { 9: 10, 10: 11 });
  const drawn = [product, alone].flatMap((one) =>
    one === undefined ? [] : [[String(priceChart([one], "EUR").markup), String(priceLine(one).markup)]],
  );
  expect(drawn[0]).toEqual(drawn[1]);
  expect(product?.points.map((point) => extremeName(point, product))).toEqual(["", "", "lowest", "highest"]);
});

test("lines of one chart end with different marks", () => {
  const series = ["a", "b", "c"].flatMap((sku) => seriesOf(sku, DAILY));
  const marks = [...String(priceChart(series, "EUR").markup).matchAll(/class="mark" d="M[\d.]+ [\d.]+(m[^"]*)"/g)];
  expect(new Set(marks.map(([, shape]) => shape)).size).toBe(3);
});
