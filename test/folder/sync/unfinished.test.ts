import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addDays, DAY } from "../../../src/contract/values/day-arithmetic.ts";
import type { SyncObserver } from "../../../src/folder/sync/sync-run.ts";
import { product, products } from "../../helpers/products.ts";
import { FIRST_DAY, servedFolder, type TestSync } from "../../helpers/synced-folder.ts";

const DAYS = days(0, 7);
const LAST_NOON = Date.parse(`${DAYS.at(-1)}T12:00:00Z`);

/** A row of each of two retailers on each day. */
const ROWS = DAYS.flatMap((crawl_date) => [product({ crawl_date }), product({ crawl_date, retailer: "bolt" })]);

/** One page a day, one after the other. */
const ONE_BY_ONE: TestSync = { pageSize: 2, concurrency: 1, now: () => LAST_NOON };

/** Days by their number from the first one. */
function days(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, day) => addDays(FIRST_DAY, first + day));
}

/** A folder whose service can fail behind a number of pages. */
async function failingFolder(rows = ROWS) {
  let left = Number.POSITIVE_INFINITY;
  let asked = 0;
  const served = await servedFolder(rows, (client) => ({
    ...client,
    catalog: async (filters, ...rest) => {
      left -= 1;
      if (left < 0) {
        throw new Error("enough");
      }
      asked += 1;
      return await client.catalog(filters, ...rest);
    },
  }));
  return {
    ...served,
    /** A run that gets this number of pages and then fails. */
    stopAfter: async (pages: number, options: TestSync = {}) => {
      left = pages;
      await expect(served.sync({ ...ONE_BY_ONE, ...options })).rejects.toThrow("enough");
      left = Number.POSITIVE_INFINITY;
    },
    /** A run, and the number of pages that it asks for. */
    goOn: async (options: TestSync = {}) => {
      asked = 0;
      const result = await served.sync({ ...ONE_BY_ONE, ...options });
      return { ...result, asked };
    },
    /** The files of the tool. */
    own: () => readdir(join(served.folder, ".catalog")),
  };
}

/** Gives a folder the pages that were left in another one. */
async function movePages(from: string, to: string): Promise<void> {
  for (const name of ["sync.json", "sync.pages"]) {
    await copyFile(join(from, ".catalog", name), join(to, ".catalog", name));
  }
}

function observed() {
  const told: string[] = [];
  const observer: SyncObserver = {
    onTotal: ({ rows, requests }) => told.push(`${rows} rows by ${requests} requests`),
    onRows: (rows) => told.push(`${rows} rows`),
    onNote: (note) => told.push(note),
    onKept: () => told.push("kept"),
    onRestart: (reason) => told.push(reason),
    onDamage: (pages) => told.push(`${pages} damaged`),
  };
  return { told, observer };
}

describe("a run that failed on its way", () => {
  test("keeps its pages, and the next run asks for the others only", async () => {
    const rows = await failingFolder();
    const { told, observer } = observed();
    await rows.stopAfter(3, { observer });
    expect({ told: told.at(-1), own: await rows.own() }).toEqual({ told: "kept", own: ["sync.json", "sync.pages"] });
    const next = observed();
    expect(await rows.goOn({ observer: next.observer })).toMatchObject({ asked: 5, days: 8, rowsAdded: 16 });
    expect(next.told.at(-1)).toBe("16 rows");
    expect(await rows.own()).toEqual(["state.json"]);
    expect(await rows.copy()).toEqual(rows.expected());
  });

  describe("before it placed a day", () => {
    const filters = { retailer: ["acme"] };
    const stopped = async (pages: number) => {
      const rows = await failingFolder([...products(8, { crawl_date: FIRST_DAY }), ...ROWS]);
      await rows.stopAfter(pages, { filters, pageSize: 1 });
      expect(await rows.own()).toEqual(["sync.json", "sync.pages"]);
      return rows;
    };

    test("keeps its filters with its pages", async () => {
      const rows = await stopped(6);
      await expect(rows.sync({ filters: { retailer: ["bolt"] } })).rejects.toThrow("is kept with --retailer acme");
      expect(await rows.sync()).toMatchObject({ filters, days: 8, rowsAdded: 16 });
    });

    test("keeps no filters with a few pages", async () => {
      const rows = await stopped(5);
      expect(await rows.sync()).toMatchObject({ filters: {}, days: 8, rowsAdded: 24 });
    });
  });

  test("is not gone on with if it was of another service", async () => {
    const [rows, other] = [await failingFolder(), await failingFolder()];
    await rows.alreadySynced();
    await other.stopAfter(3);
    await movePages(other.folder, rows.folder);
    expect(await rows.goOn()).toMatchObject({ asked: 0 });
    expect(await rows.own()).toEqual(["state.json"]);
  });

  test("is not gone on with if it was of other filters", async () => {
    const rows = await failingFolder();
    await rows.alreadySynced();
    const unfinished = join(rows.folder, "../other");
    await rows.stopAfter(3, { folder: unfinished, filters: { retailer: ["acme", "bolt"] } });
    await movePages(unfinished, rows.folder);
    expect(await rows.goOn()).toMatchObject({ asked: 0 });
    expect(await rows.own()).toEqual(["state.json"]);
  });

  test("is not gone on with if its filters mean other combinations by now", async () => {
    const rows = await failingFolder();
    const filters = { retailer: ["acme", "bolt"] };
    await rows.stopAfter(6, { filters });
    await rows.replace([...rows.all(), product({ crawl_date: DAYS[0] as string, category: "new-chairs" })]);
    expect(await rows.goOn({ filters })).toMatchObject({ rowsAdded: 17 });
    expect(await rows.copy()).toEqual(rows.expected());
  });

  describe("with dates that move on", () => {
    const afterwards = async (later: number) => {
      const rows = await failingFolder();
      await rows.stopAfter(6, { filters: { start_date: "7d" } });
      const result = await rows.goOn({ now: () => LAST_NOON + later * DAY });
      return { result, placed: await rows.days(), own: await rows.own() };
    };

    test("is gone on with as long as its last day is wanted", async () => {
      expect(await afterwards(7)).toMatchObject({ result: { asked: 2 }, placed: DAYS });
    });

    test("is not once no day of it is wanted", async () => {
      expect(await afterwards(8)).toEqual({
        result: expect.objectContaining({ asked: 0 }),
        placed: [],
        own: ["state.json"],
      });
    });
  });

  test("is gone on with as long as its first day is wanted", async () => {
    const rows = await failingFolder();
    await rows.stopAfter(6, { filters: { end_date: "today" } });
    const now = () => LAST_NOON - 5 * DAY;
    expect(await rows.goOn({ now })).toMatchObject({ asked: 2, outside: days(3, 7) });
  });

  test.each([
    ["not read again within a day", DAY - 1, 0],
    ["read again a day later", DAY, 1],
  ])("has newest days that are %s", async (_, later, again) => {
    const rows = await failingFolder();
    await rows.stopAfter(6);
    const { asked } = await rows.goOn({ lookback: 1, now: () => LAST_NOON + later });
    expect(asked).toBe(2 + again);
  });

  test("leaves newest days to the next run that are none of its own", async () => {
    const rows = await failingFolder();
    await rows.alreadySynced();
    await rows.replace([...rows.all(), ...products(2, { crawl_date: FIRST_DAY })]);
    await rows.stopAfter(1);
    expect((await rows.goOn({ lookback: 1 })).asked).toBe(3);
    expect(await rows.copy()).toEqual(rows.expected());
  });

  test("removes no more than half of the rows when it is gone on with", async () => {
    const rows = await failingFolder();
    await rows.alreadySynced();
    await rows.stopAfter(3, { lookback: 8 });
    await rows.replace(rows.all().slice(0, 7));
    await expect(rows.goOn()).rejects.toThrow(
      "9 of the 16 rows in the folder would be removed, more than half of them. --allow-shrink removes them",
    );
    expect(await rows.goOn({ allowShrink: true })).toMatchObject({ asked: 0 });
    expect(await rows.copy()).toEqual(rows.expected());
  });
});
