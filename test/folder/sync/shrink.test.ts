import { expect, test } from "vitest";
import { ShrinkError } from "../../../src/contract/errors.ts";
import { addDays, DAY } from "../../../src/contract/values/day-arithmetic.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, servedFolder, sixteenDays } from "../../helpers/synced-folder.ts";

const LAST_DAY = addDays(FIRST_DAY, 7);
/** Three rows a day. */
const ROWS = sixteenDays().filter(({ crawl_date }) => crawl_date <= LAST_DAY);

test("an empty coverage removes nothing, unless the copy may shrink", async () => {
  let isEmpty = false;
  const rows = await servedFolder(ROWS, (client) => ({
    ...client,
    coverage: async (...args) => {
      const answer = await client.coverage(...args);
      return isEmpty ? { ...answer, data: [] } : answer;
    },
  }));
  await rows.alreadySynced();
  const before = await rows.times();
  isEmpty = true;
  await expect(rows.sync()).rejects.toThrow(ShrinkError);
  expect(await rows.times()).toEqual(before);
  expect(await rows.sync({ allowShrink: true })).toMatchObject({ daysRemoved: 8, rowsRemoved: 24 });
  expect(await rows.days()).toEqual([]);
});

test("new combinations do not hide that more than half of the rows would be removed", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  const before = await rows.times();
  await rows.replace(ROWS.map((row) => product({ ...row, retailer: "other", product_id: "" })));
  await expect(rows.sync()).rejects.toThrow("24 of the 24 rows in the folder would be removed");
  expect(await rows.times()).toEqual(before);
});

test("empty responses for single days remove nothing", async () => {
  const answered: string[] = [];
  const rows = await servedFolder(ROWS, (client) => ({
    ...client,
    coverage: async (filters, signal) => {
      const answer = await client.coverage(filters, signal);
      if (filters.start_date === undefined || answered.length === 0) {
        return answer;
      }
      answered.push("empty");
      return { ...answer, data: [] };
    },
  }));
  await rows.alreadySynced();
  const before = await rows.times();
  answered.push("from now on");
  await rows.replace([...rows.all(), product({ crawl_date: addDays(FIRST_DAY, 3), sku: "late" })]);
  await expect(rows.sync()).rejects.toThrow();
  expect(answered.length).toBeGreaterThan(1);
  expect(await rows.times()).toEqual(before);
});

test("days that are read in parts count together: no more than half of the rows are removed", async () => {
  let isEmpty = false;
  const rows = await servedFolder(sixteenDays(), (client) => ({
    ...client,
    coverage: async (filters, signal) => {
      const answer = await client.coverage(filters, signal);
      const [first = 0, last = 0] = [filters.start_date, filters.end_date].map((day) => Number(day?.slice(-2)));
      // One or two days, none of them divisible by three.
      return isEmpty && last - first < 2 && first % 3 > 0 && last % 3 > 0 ? { ...answer, data: [] } : answer;
    },
  }));
  await rows.sync();
  isEmpty = true;
  // Eleven days of three rows, in ranges of two days at most.
  await expect(rows.sync({ verify: true })).rejects.toThrow(ShrinkError);
  expect((await rows.days()).length).toBeGreaterThanOrEqual(8);
});

test("less than half of the rows may be removed", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  await rows.replace(rows.all().filter(({ sku }) => sku !== "s0"));
  expect(await rows.sync()).toMatchObject({ rowsRemoved: 8 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a retailer that vanishes whole is kept, because a key may not see it, until it is pruned", async () => {
  const rows = await servedFolder([...ROWS, product({ retailer: "zeta", crawl_date: FIRST_DAY })]);
  await rows.alreadySynced();
  const before = await rows.times();
  await rows.replace(rows.all().filter(({ retailer }) => retailer !== "zeta"));
  await expect(rows.sync()).rejects.toThrow(/has 1 row of zeta, of which the service shows none any more/);
  expect(await rows.times()).toEqual(before);
  expect(await rows.sync({ prune: true })).toMatchObject({ rowsRemoved: 1 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a combination that the window no longer has stays in the days outside of it", async () => {
  const rugs = [FIRST_DAY, LAST_DAY].map((crawl_date) => product({ crawl_date, category: "rugs" }));
  const rows = await servedFolder([...ROWS, ...rugs]);
  const filters = { start_date: "7d" } as const;
  const now = Date.parse(`${LAST_DAY}T12:00:00Z`);
  await rows.sync({ filters, now: () => now });
  await rows.replace(rows.all().filter(({ product_id }) => product_id !== rugs[1]?.product_id));
  expect(await rows.sync({ filters, now: () => now + 3 * DAY })).toMatchObject({ rowsRemoved: 1, daysChanged: 1 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a clock that is wrong by years prunes no folder empty", async () => {
  const rows = await servedFolder(ROWS);
  const filters = { start_date: "30d" } as const;
  const now = () => Date.parse(`${FIRST_DAY}T12:00:00Z`) + 20 * DAY;
  await rows.sync({ filters, now });
  const before = await rows.times();
  const wrong = () => now() + 3_650 * DAY;
  await expect(rows.sync({ prune: true, now: wrong })).rejects.toThrow("is the clock right?");
  expect(await rows.times()).toEqual(before);
});

test("the newest days of each retailer are read again, and a day after today is none of them", async () => {
  const now = () => Date.parse(`${FIRST_DAY}T12:00:00Z`) + 7 * DAY;
  const late = product({ retailer: "late", crawl_date: addDays(FIRST_DAY, 5) });
  const future = product({ retailer: "acme", crawl_date: "2062-01-01", sku: "future" });
  const rows = await servedFolder([...ROWS, late, future]);
  await rows.sync({ now });
  const changed = [addDays(FIRST_DAY, 5), LAST_DAY];
  await rows.replace(rows.all().map((row) => (changed.includes(row.crawl_date) ? { ...row, title: "new" } : row)));
  expect(await rows.sync({ now, lookback: 1, audit: 0 })).toMatchObject({ daysChanged: 2 });
  expect(await rows.copy()).toEqual(rows.expected());
});
