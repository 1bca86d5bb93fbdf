import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Product } from "../../../src/contract/product.ts";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { readStateOf } from "../../../src/folder/folder-state.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, servedFolder, sixteenDays } from "../../helpers/synced-folder.ts";

const LAST_DAY = addDays(FIRST_DAY, 7);
/** Three rows a day. */
const ROWS = sixteenDays().filter(({ crawl_date }) => crawl_date <= LAST_DAY);

/** The same rows, of which one row of a day is on another day now. */
function moved(rows: readonly Product[], from: string, to: string): Product[] {
  const kept = rows.filter(({ crawl_date, sku }) => !(crawl_date === from && sku === "s0"));
  return [...kept, product({ crawl_date: to, sku: `moved-${from}` })];
}

test("a row that moved to another day of its combination is found within the documented number of runs", async () => {
  const rows = await servedFolder(ROWS);
  expect(await rows.sync({ audit: 2 })).toMatchObject({ auditCycle: 4 });
  await rows.replace(moved(rows.all(), addDays(FIRST_DAY, 3), addDays(FIRST_DAY, 4)));
  let runs = 0;
  let pulled = 0;
  for (; runs < 4 && pulled === 0; runs += 1) {
    pulled = (await rows.sync({ audit: 2 })).days;
  }
  expect(pulled).toBe(2);
  expect(await rows.copy()).toEqual(rows.expected());
});

test("every run audits the days that were checked longest ago, so each day is checked once in a cycle", async () => {
  const rows = await servedFolder(ROWS);
  // The clock stands still, and is set back at last.
  const now = Date.UTC(2026, 5, 1);
  await rows.sync({ now: () => now });
  const seen = new Map<string, number>();
  let before = (await readStateOf(rows.folder))?.days ?? {};
  for (const clock of [now, now, now, now - 86_400_000]) {
    expect(await rows.sync({ audit: 2, now: () => clock })).toMatchObject({ daysAudited: 2, days: 0, requests: 3 });
    const after = (await readStateOf(rows.folder))?.days ?? {};
    for (const day of Object.keys(after).filter((name) => after[name]?.checked !== before[name]?.checked)) {
      seen.set(day, (seen.get(day) ?? 0) + 1);
    }
    before = after;
  }
  expect({ seenCount: seen.size, values: new Set(seen.values()) }).toEqual({ seenCount: 8, values: new Set([1]) });
});

test("a row that moved to a neighbouring day is found by auditing every second day", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  await rows.replace(moved(rows.all(), addDays(FIRST_DAY, 3), addDays(FIRST_DAY, 4)));
  expect(await rows.sync({ audit: 4 })).toMatchObject({ days: 2 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a row that moved before the first day of its combination is found at once", async () => {
  const rows = await servedFolder([...ROWS, product({ retailer: "zeta", crawl_date: addDays(FIRST_DAY, 5) })]);
  await rows.alreadySynced();
  const others = rows.all().filter(({ retailer }) => retailer !== "zeta");
  await rows.replace([...others, product({ retailer: "zeta", crawl_date: addDays(FIRST_DAY, 2) })]);
  expect(await rows.sync()).toMatchObject({ days: 2 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a removed retailer is removed from the files without a request for rows", async () => {
  const rows = await servedFolder([...ROWS, product({ retailer: "zeta", crawl_date: addDays(LAST_DAY, -1) })]);
  await rows.alreadySynced();
  await rows.replace(rows.all().filter(({ retailer }) => retailer !== "bolt" && retailer !== "zeta"));
  expect(await rows.sync({ prune: true })).toMatchObject({ days: 0, rowsRemoved: 9, daysRemoved: 0, requests: 1 });
  expect(await rows.copy()).toEqual(rows.expected());
  expect(await rows.sync({ verify: true, lookback: 1 })).toMatchObject({
    rowsReplaced: 0,
    rowsAdded: 0,
    rowsRemoved: 0,
  });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("the file of a day with only a removed retailer is removed", async () => {
  const rows = await servedFolder([...ROWS, product({ retailer: "zeta", crawl_date: addDays(LAST_DAY, 3) })]);
  await rows.alreadySynced();
  await rows.replace(rows.all().filter(({ retailer }) => retailer !== "zeta"));
  expect(await rows.sync({ prune: true })).toMatchObject({ rowsRemoved: 1, daysRemoved: 1, requests: 1 });
  expect(await rows.days()).not.toContain(addDays(LAST_DAY, 3));
});

test("values that Parquet could change stay the same when another retailer is removed", async () => {
  const odd = product({ crawl_date: FIRST_DAY, title: "\ufeffmarked 🏪", mrp: 0.1, color: null, image_url: "" });
  const coloured = product({ crawl_date: FIRST_DAY, sku: "other", color: "red", selling_price: 1e21 });
  const gone = product({ crawl_date: FIRST_DAY, retailer: "bolt", color: "blue" });
  const rows = await servedFolder([odd, coloured, gone]);
  await rows.alreadySynced();
  const before = await readFile(rows.file(FIRST_DAY));
  await rows.replace([odd, coloured]);
  expect(await rows.sync({ prune: true })).toMatchObject({ rowsRemoved: 1, requests: 1 });
  expect(await readFile(rows.file(FIRST_DAY))).not.toEqual(before);
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a damaged file is pulled again", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  const bytes = await readFile(rows.file(FIRST_DAY));
  bytes.fill(0, 10, 20);
  await writeFile(rows.file(FIRST_DAY), bytes);
  await rows.replace(rows.all().filter(({ retailer }) => retailer !== "bolt"));
  expect(await rows.sync({ prune: true })).toMatchObject({ days: 1, rowsRemoved: 8 });
  expect(await rows.copy()).toEqual(rows.expected());
});
