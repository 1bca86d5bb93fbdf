import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMovers, MOVER_KINDS, type MoverKind } from "../../../src/folder/prices/movers.ts";
import { collectSeries } from "../../../src/folder/prices/series.ts";
import { type PriceRow, priceDays } from "../../helpers/price-days.ts";

function row(day: string, sku: string, selling_price: number, more: Partial<PriceRow> = {}): PriceRow {
  return { day, retailer: "acme", sku, selling_price, discount_pct: 0, currency: "EUR", ...more };
}

describe("movers", () => {
  test("a drop is measured from the last price known up to the day, however old", async () => {
    const rows = [row("2026-01-01", "a", 200), row("2026-01-03", "a", 100), row("2026-01-09", "a", 80)];

    const { drop } = await findMovers(priceDays(rows), "2026-01-05");

    expect(drop).toMatchObject([{ before: { day: "2026-01-03" }, now: { day: "2026-01-09" }, percent: -20 }]);
  });

  test("a product that was not seen after the day does not move", async () => {
    const rows = [row("2026-01-01", "a", 200), row("2026-01-03", "a", 100)];

    const found = await findMovers(priceDays(rows), "2026-01-03");

    expect(found).toEqual({ drop: [], rise: [], new_low: [], discount: [] });
  });

  test("prices in different currencies are not compared, and lows start again", async () => {
    const rows = [row("2026-01-01", "a", 200), row("2026-01-03", "a", 100, { currency: "USD" })];

    const { drop, new_low } = await findMovers(priceDays(rows), "2026-01-02");

    expect([drop, new_low]).toEqual([[], []]);
  });

  test("a new low is below each earlier price, not only the one before", async () => {
    const rows = [
      ...[row("2026-01-01", "a", 50), row("2026-01-02", "a", 90), row("2026-01-03", "a", 60)],
      ...[row("2026-01-01", "b", 50), row("2026-01-02", "b", 90), row("2026-01-03", "b", 49)],
    ];

    const { new_low } = await findMovers(priceDays(rows), "2026-01-02");

    expect(new_low).toMatchObject([{ now: { sku: "b" }, earlierLow: { selling_price: 50, day: "2026-01-01" } }]);
  });

  test("a day with rows in two currencies has the earlier low of the row that counts", async () => {
    const rows = [
      row("2026-01-01", "a", 3, { currency: "USD" }),
      ...[row("2026-01-02", "a", 3), row("2026-01-02", "a", 2, { currency: "USD" })],
    ];

    const { new_low } = await findMovers(priceDays(rows), "2026-01-01");

    expect(new_low).toMatchObject([{ now: { currency: "USD" }, earlierLow: { selling_price: 3 } }]);
  });

  test("if a product has several rows on one day, the cheapest counts", async () => {
    const rows = [
      ...[row("2026-01-01", "a", 100), row("2026-01-01", "a", 90)],
      ...[row("2026-01-02", "a", 80), row("2026-01-02", "a", 95)],
    ];

    const { drop } = await findMovers(priceDays(rows), "2026-01-01");

    expect(drop).toMatchObject([{ before: { selling_price: 90 }, now: { selling_price: 80 } }]);
  });

  test("the results match the definitions, product by product", async () => {
    const rowOf = fc.record({
      day: fc.integer({ min: 1, max: 9 }).map((day) => `2026-01-0${day}`),
      retailer: fc.constantFrom("acme", "bolt"),
      sku: fc.constantFrom("a", "ab", "b"),
      selling_price: fc.integer({ min: 0, max: 5 }),
      discount_pct: fc.constantFrom(0, 10, 20),
      currency: fc.constantFrom("EUR", "EUR", "USD"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), async (rows, day) => {
        const since = `2026-01-0${day}`;
        const found = await findMovers(priceDays(rows), since);
        const names = (kind: MoverKind) => found[kind].map(({ now }) => `${now.retailer} ${now.sku}`).sort();
        expect(Object.fromEntries(MOVER_KINDS.map((kind) => [kind, names(kind)]))).toEqual(byDefinition(rows, since));
      }),
    );
  });
});

describe("series", () => {
  test("a sku means the product of each retailer that has it, and no sku that contains it", async () => {
    const rows = [
      ...[row("2026-01-01", "ab", 1), row("2026-01-01", "b", 2), row("2026-01-02", "b", 3)],
      row("2026-01-02", "b", 4, { retailer: "bolt" }),
    ];

    const series = await collectSeries(priceDays(rows), [{ sku: "b" }]);

    expect(series.map(({ retailer, points }) => [retailer, points.map((point) => point.selling_price)])).toEqual([
      ["acme", [2, 3]],
      ["bolt", [4]],
    ]);
  });

  test("gives the lowest price, the highest price, the changes and a new low", async () => {
    const rows = [5, 7, 7, 4].map((price, index) => row(`2026-01-0${index + 1}`, "a", price));

    const [series] = await collectSeries(priceDays(rows), [{ sku: "a" }]);

    expect(series).toMatchObject({
      lowest: { day: "2026-01-04" },
      highest: { day: "2026-01-03" },
      last: { selling_price: 4 },
      changes: 2,
      isNewLow: true,
    });
  });
});

/** The movers as their definitions say, without any cleverness. */
function byDefinition(rows: readonly PriceRow[], since: string): Record<MoverKind, string[]> {
  const found: Record<MoverKind, string[]> = { drop: [], rise: [], new_low: [], discount: [] };
  for (const name of new Set(rows.map(({ retailer, sku }) => `${retailer} ${sku}`))) {
    const own = rows.filter(({ retailer, sku }) => `${retailer} ${sku}` === name);
    const days = [...new Set(own.map(({ day }) => day))].sort();
    const cheapest = days.map(
      (day) => own.filter((one) => one.day === day).sort((a, b) => a.selling_price - b.selling_price)[0] as PriceRow,
    );
    const now = cheapest.at(-1) as PriceRow;
    if (now.day <= since) {
      continue;
    }
    const before = cheapest.findLast(({ day }) => day <= since);
    const isComparable = before !== undefined && before.currency === now.currency && before.selling_price > 0;
    const firstOfCurrency = cheapest.findLastIndex(({ currency }) => currency !== now.currency) + 1;
    const earlier = cheapest.slice(firstOfCurrency, -1);
    const isOf: Record<MoverKind, boolean> = {
      drop: isComparable && now.selling_price < before.selling_price,
      rise: isComparable && now.selling_price > before.selling_price,
      new_low: earlier.length > 0 && earlier.every(({ selling_price }) => now.selling_price < selling_price),
      discount: now.discount_pct > 0,
    };
    for (const kind of MOVER_KINDS) {
      if (isOf[kind]) {
        found[kind].push(name);
      }
    }
  }
  return Object.fromEntries(MOVER_KINDS.map((kind) => [kind, found[kind].sort()])) as Record<MoverKind, string[]>;
}
