import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Product } from "../../../src/contract/product.ts";
import { addDays, DAY } from "../../../src/contract/values/day-arithmetic.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, servedFolder, sixteenDays, type TestSync } from "../../helpers/synced-folder.ts";

const LAST_DAY = addDays(FIRST_DAY, 7);
/** Three rows a day. */
const ROWS = sixteenDays().filter(({ crawl_date }) => crawl_date <= LAST_DAY);

/** The first days are read and compared by then, the last one is not. */
const ADDED_BEFORE = 3;

test("a first run copies the whole set, one file a day", async () => {
  const rows = await servedFolder(ROWS);
  expect(await rows.sync({ lookback: 2 })).toEqual({
    daysChecked: 8,
    days: 8,
    daysChanged: 8,
    daysRemoved: 0,
    rowsAdded: 24,
    rowsReplaced: 0,
    rowsRemoved: 0,
    filters: {},
    resolved: {},
    daysAudited: 0,
    auditCycle: undefined,
    daysPruned: 0,
    outside: [],
    unexpectedFiles: [],
    requests: 4,
  });
  expect(await rows.days()).toHaveLength(8);
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a run reports its rows and requests before it pulls, and corrects them if a single day has grown", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  const late = [1, 4].map((day) => product({ crawl_date: addDays(FIRST_DAY, day), sku: "late" }));
  await rows.replace([...rows.all(), ...late]);
  const told: unknown[] = [];
  await rows.sync({
    lookback: 2,
    observer: {
      onTotal: (total) => told.push(total),
      onRows: (written) => told.push(written),
      onRestart: (reason) => told.push(reason),
      onDamage: (pages) => told.push(pages),
      onNote: (note) => told.push(note),
      onKept: () => told.push("kept"),
    },
  });
  const totals = told.filter((entry) => typeof entry === "object");
  expect(totals).toEqual([12, 13, 14, 14].map((total) => ({ rows: total, requests: 3, stored: 0 })));
  expect(told.filter((entry) => typeof entry !== "object")).toEqual([0, 4, 4, 8, 8, 14]);
});

test("a run without changes sends a few requests and does not touch any file", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  const before = await rows.times();
  const nothing = { rowsAdded: 0, rowsReplaced: 0, rowsRemoved: 0 };
  expect(await rows.sync({ lookback: 2 })).toMatchObject({ ...nothing, days: 2, requests: 4 });
  expect(await rows.times()).toEqual(before);
  expect(await rows.sync()).toMatchObject({ ...nothing, days: 0, requests: 1 });
});

const isRow = (day: string, sku: string) => (row: Product) => row.crawl_date === day && row.sku === sku;

test.each<[string, (rows: readonly Product[]) => Product[], TestSync, object]>([
  [
    "a new day, with one request in addition to those for its rows",
    (rows) => [...rows, product({ crawl_date: addDays(LAST_DAY, 1), sku: "new" })],
    {},
    { daysChecked: 9, days: 1, rowsAdded: 1 },
  ],
  [
    "rows that come late to an old day",
    (rows) => [...rows, product({ crawl_date: addDays(FIRST_DAY, 4), sku: "late" })],
    {},
    { days: 1, rowsAdded: 1, rowsReplaced: 3 },
  ],
  [
    "a row removed from an old day",
    (rows) => rows.filter((row) => !isRow(addDays(FIRST_DAY, 5), "s0")(row)),
    {},
    { days: 1, rowsRemoved: 1, rowsReplaced: 2 },
  ],
  [
    "a day that the service no longer has",
    (rows) => rows.filter(({ crawl_date }) => crawl_date !== addDays(FIRST_DAY, 3)),
    {},
    { daysRemoved: 1, rowsRemoved: 3, rowsAdded: 0, rowsReplaced: 0 },
  ],
  [
    "a changed row with the same counts, by --lookback",
    (rows) => rows.map((row) => (isRow(addDays(LAST_DAY, -1), "s0")(row) ? { ...row, title: "other" } : row)),
    { lookback: 2 },
    { days: 2, rowsReplaced: 3 },
  ],
])("a run finds %s", async (_, change, options, found) => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  await rows.replace(change(rows.all()));
  expect(await rows.sync(options)).toMatchObject(found);
  expect(await rows.days()).toEqual([...new Set(rows.all().map(({ crawl_date }) => crawl_date))].sort());
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a day's file that is missing or cut is repaired", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  await rm(rows.file(FIRST_DAY));
  await truncate(rows.file(addDays(FIRST_DAY, 5)), 100);
  expect(await rows.sync()).toMatchObject({ days: 2 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("verify finds damage that does not change the size", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  const path = rows.file(addDays(FIRST_DAY, 4));
  const bytes = await readFile(path);
  bytes.fill(0, 10, 20);
  await writeFile(path, bytes);
  expect(await rows.sync()).toMatchObject({ days: 0 });
  expect(await rows.sync({ verify: true })).toMatchObject({ days: 1 });
  expect(await rows.copy()).toEqual(rows.expected());
});

/** A folder with two days that have left the window, one damaged and one missing. */
async function damagedOutside() {
  const rows = await servedFolder(ROWS);
  const filters = { start_date: "7d" } as const;
  const noon = Date.parse(`${LAST_DAY}T12:00:00Z`);
  await rows.sync({ filters, now: () => noon });
  await writeFile(rows.file(FIRST_DAY), Buffer.alloc((await readFile(rows.file(FIRST_DAY))).length));
  await rm(rows.file(addDays(FIRST_DAY, 1)));
  return { ...rows, later: (options: TestSync = {}) => rows.sync({ now: () => noon + 3 * DAY, ...options }) };
}

test("verify repairs days that have left the window", async () => {
  const rows = await damagedOutside();
  expect(await rows.later()).toMatchObject({ days: 0 });
  expect(await rows.later({ verify: true })).toMatchObject({ days: 2, rowsReplaced: 6 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("verify keeps a damaged day that has left the window if the service has lost rows of it", async () => {
  const rows = await damagedOutside();
  await rows.replace(rows.all().filter((row) => !isRow(FIRST_DAY, "s0")(row)));
  const damaged = await readFile(rows.file(FIRST_DAY));
  await expect(rows.later({ verify: true })).rejects.toThrow(
    `${FIRST_DAY} in ${rows.folder} is damaged or missing, and`,
  );
  expect(await readFile(rows.file(FIRST_DAY))).toEqual(damaged);
  expect(await rows.later({ verify: true, allowShrink: true })).toMatchObject({ days: 2, rowsRemoved: 1 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("verify finds rows that moved from day to day", async () => {
  const rows = await servedFolder(ROWS);
  await rows.alreadySynced();
  const others = rows.all().filter(({ crawl_date, sku }) => !(crawl_date === addDays(FIRST_DAY, 3) && sku === "s0"));
  await rows.replace([...others, product({ crawl_date: addDays(FIRST_DAY, 5), sku: "moved" })]);
  expect(await rows.sync()).toMatchObject({ days: 0 });
  expect(await rows.sync({ verify: true })).toMatchObject({ days: 2, daysAudited: 6 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("rows that are added while unchanged days are read again are in the copy", async () => {
  let pages = 0;
  const rows = await servedFolder(ROWS, (client) => ({
    ...client,
    catalog: async (...args) => {
      pages += 1;
      if (pages === ADDED_BEFORE) {
        await rows.replace([...rows.all(), product({ crawl_date: LAST_DAY, sku: "late" })]);
      }
      return client.catalog(...args);
    },
  }));
  await rows.alreadySynced();
  const restarts: string[] = [];
  const observer = {
    ...{ onTotal: () => undefined, onRows: () => undefined, onDamage: () => undefined, onKept: () => undefined },
    onNote: () => undefined,
    onRestart: (reason: string) => void restarts.push(reason),
  };
  await rows.sync({ lookback: 8, pageSize: 10, concurrency: 1, observer });
  expect({ restarts, copy: await rows.copy() }).toEqual({
    restarts: ["the service no longer has the version of the data that it counted"],
    copy: rows.expected(),
  });
});
