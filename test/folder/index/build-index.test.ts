import { mkdir, readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileError } from "../../../src/contract/errors.ts";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { lock } from "../../../src/files/lock.ts";
import { placeOfDay } from "../../../src/folder/day-files.ts";
import { ownFolderOf } from "../../../src/folder/folder-lock.ts";
import { indexPathOf } from "../../../src/folder/index/build-index.ts";
import { openIndex } from "../../../src/folder/index/index-file.ts";
import { addressesOf } from "../../../src/folder/index/product-addresses.ts";
import { withPrices } from "../../../src/folder/index/read-prices.ts";
import { readSyncedFolder } from "../../../src/folder/synced-day.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, rewriteDay, syncedFolder } from "../../helpers/synced-folder.ts";
import { failureOf } from "../../helpers/test-client.ts";

const DAYS = [0, 1, 2].map((day) => addDays(FIRST_DAY, day)) as [string, string, string];

const ROWS = DAYS.flatMap((crawl_date, day) => [
  product({ crawl_date, sku: "s0", selling_price: 10 + day, brand: "Osram" }),
  product({ crawl_date, sku: "s1", retailer: "bolt", selling_price: 20 + day }),
  product({ crawl_date, sku: "s2", category: "chairs", selling_price: 30 + day, brand: "OSRAM" }),
]);

type Request = Parameters<typeof withPrices>[0];

/** The prices of a folder as texts, the days that were read from their Parquet files, and why the index was not kept. */
async function read(folder: string, options: Partial<Request> = {}, first?: string) {
  const [parsed, notKept]: [string[], string[]] = [[], []];
  const request: Request = {
    ...{ folder, name: "rows", state: await readSyncedFolder(folder), days: DAYS, pid: process.pid },
    signal: new AbortController().signal,
    isWanted: () => true,
    onDay: (day) => parsed.push(day),
    onNotKept: (reason) => notKept.push(reason),
    ...options,
  };
  const prices = await withPrices(request, async ({ listings, days }) => {
    const found: string[] = [];
    for await (const day of days(first)) {
      for (let row = 0; row < day.rows; row += 1) {
        const sku = listings.skuOf(day.listing[row] ?? -1);
        found.push(`${day.day} ${day.place[row]} ${sku} ${day.selling_price[row]}`);
      }
    }
    return found;
  });
  return { prices, parsed, notKept };
}

/** The same of some rows, which are in the files in their order. */
function pricesOf(rows: readonly (typeof ROWS)[number][]): string[] {
  return rows.map((row) => `${row.crawl_date} ${ROWS.indexOf(row) % 3} ${row.sku} ${row.selling_price}`);
}

const own = (folder: string) => readdir(ownFolderOf(folder));
const pathOf = (folder: string, day: string) => join(folder, placeOfDay(day));

describe("the index", () => {
  test("reads each day from its Parquet file once, in order, and has only the days that were asked for", async () => {
    const folder = await syncedFolder(ROWS);
    const [first, second, third] = DAYS;
    expect(await read(folder, { days: [third, first] })).toEqual({
      prices: pricesOf(ROWS.filter(({ crawl_date }) => crawl_date !== second)),
      parsed: [first, third],
      notKept: [],
    });
    expect(await read(folder, { days: [second, "2030-01-01", second] })).toMatchObject({
      parsed: [second, "2030-01-01"],
      notKept: [],
    });
    expect(await read(folder)).toEqual({ prices: pricesOf(ROWS), parsed: [], notKept: [] });
    expect(await own(folder)).toEqual(["prices.index", "state.json"]);
  });

  test("is made in memory from the days of the present one if another process has the lock", async () => {
    const folder = await syncedFolder(ROWS);
    await read(folder, { days: DAYS.slice(0, 2) });
    const before = await readFile(indexPathOf(folder));
    const held = await lock(folder, `${indexPathOf(folder)}.lock`, process.pid);
    onTestFinished(() => held.release());
    expect(await read(folder)).toEqual({
      prices: pricesOf(ROWS),
      parsed: [DAYS[2]],
      notKept: [expect.stringContaining("is being written by process")],
    });
    expect(await readFile(indexPathOf(folder))).toEqual(before);
  });

  test("drops days whose files are others, and their listings once most of its rows are gone", async () => {
    const folder = await syncedFolder(ROWS);
    await read(folder);
    const content = async () => {
      const index = await openIndex(indexPathOf(folder));
      await index?.close();
      return { dropped: index?.dropped, listings: index?.listings.listings, days: [...(index?.days.keys() ?? [])] };
    };
    expect(await content()).toEqual({ dropped: 0, listings: 3, days: DAYS });
    const rename = async (day: string, title: string) => {
      await rewriteDay(folder, day, (row) => ({ ...row, title }));
      return await read(folder);
    };
    expect((await rename(DAYS[0], "other")).parsed).toEqual([DAYS[0]]);
    expect(await content()).toEqual({ dropped: 3, listings: 6, days: DAYS });
    // Six rows were dropped by then, and six are kept.
    expect((await rename(DAYS[0], "another")).parsed).toEqual([DAYS[0]]);
    expect(await content()).toEqual({ dropped: 6, listings: 9, days: DAYS });
    expect((await rename(DAYS[0], "the last")).parsed).toEqual(DAYS);
    expect(await content()).toEqual({ dropped: 0, listings: 6, days: DAYS });
  });

  test("is kept for files of earlier versions that have no texts but skus", async () => {
    const folder = await syncedFolder(ROWS);
    for (const day of DAYS) {
      await rewriteDay(folder, day, ({ ...row }) => ({
        ...row,
        ...{ title: undefined, brand: undefined, model_number: undefined, url: undefined },
      }));
    }
    expect(await read(folder)).toMatchObject({ prices: pricesOf(ROWS), parsed: DAYS });
    expect(await read(folder)).toMatchObject({ prices: pricesOf(ROWS), parsed: [], notKept: [] });
  });

  test.each([
    ["sku", "row 1 has no text in the column sku"],
    ["currency", "row 1 has no text in the column currency"],
    ["mrp", "row 1 has no number in the column mrp"],
    ["discount_pct", "row 1 has no number in the column discount_pct"],
  ])("is not made from a file without the column %s", async (name, words) => {
    const folder = await syncedFolder(ROWS);
    await rewriteDay(folder, DAYS[1], (row) => ({ ...row, [name]: undefined }));
    const failure = await failureOf(read(folder));
    expect(failure).toBeInstanceOf(FileError);
    expect(failure).toMatchObject({
      message: `${pathOf(folder, DAYS[1])} cannot be read as Parquet: ${words}`,
      path: pathOf(folder, DAYS[1]),
    });
    expect(await own(folder)).toEqual(["state.json"]);
  });

  test("is not made from a file that was altered", async () => {
    const folder = await syncedFolder(ROWS);
    await truncate(pathOf(folder, DAYS[1]), 100);
    await expect(read(folder)).rejects.toThrow(`${pathOf(folder, DAYS[1])} was changed or damaged since the last sync`);
    expect(await own(folder)).toEqual(["state.json"]);
  });

  test("takes the place of what an earlier process left unfinished", async () => {
    const folder = await syncedFolder(ROWS);
    await read(folder);
    const whole = await readFile(indexPathOf(folder));
    await rm(indexPathOf(folder));
    await mkdir(`${indexPathOf(folder)}.new`);
    expect(await read(folder)).toMatchObject({
      prices: pricesOf(ROWS),
      notKept: [expect.stringContaining(".new is a folder")],
    });
    await rm(`${indexPathOf(folder)}.new`, { recursive: true });
    expect(await read(folder)).toMatchObject({ prices: pricesOf(ROWS), notKept: [] });
    expect(await readFile(indexPathOf(folder))).toEqual(whole);
  });
});

describe("prices", () => {
  test("are those of the wanted combinations, brands, retailers and days", async () => {
    const folder = await syncedFolder(ROWS);
    const wanted = async (options: Partial<Request>, first?: string) => (await read(folder, options, first)).prices;
    const of = (isWanted: (row: (typeof ROWS)[number]) => boolean) => pricesOf(ROWS.filter(isWanted));
    expect(await wanted({ isWanted: ({ category }) => category === "lamps" })).toEqual(
      of(({ category }) => category === "lamps"),
    );
    expect(await wanted({ brands: ["osram"] })).toEqual(of(({ brand }) => brand !== "Brand"));
    const oneOfBoth = { brands: ["osram"], isWanted: ({ category }: { category: string }) => category === "lamps" };
    expect(await wanted(oneOfBoth)).toEqual(of(({ brand }) => brand === "Osram"));
    expect(await wanted({}, DAYS[1])).toEqual(of(({ crawl_date }) => crawl_date >= DAYS[1]));
    const isOfDay = (retailer: string, day: string) => (retailer === "acme") === day > DAYS[0];
    expect(await wanted({ isOfDay })).toEqual(of((row) => isOfDay(row.retailer, row.crawl_date)));
    expect(await wanted({ isOfDay, ...oneOfBoth })).toEqual(
      of((row) => row.brand === "Osram" && isOfDay(row.retailer, row.crawl_date)),
    );
    await expect(wanted({ brands: ["osrma"] })).rejects.toThrow('rows has no product of the brand "osrma".');
  });

  test("end with the reason of the signal, while the index is made and when it is read", async () => {
    const folder = await syncedFolder(ROWS);
    const reason = new Error("that is enough");
    const ended = new AbortController();
    const [parsed, onDay] = [[] as string[], () => ended.abort(reason)];
    await expect(read(folder, { signal: ended.signal, onDay: (day) => onDay() ?? parsed.push(day) })).rejects.toBe(
      reason,
    );
    expect([parsed, await own(folder)]).toEqual([[DAYS[0]], ["state.json"]]);
    await read(folder);
    await expect(read(folder, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("addresses", () => {
  const signal = new AbortController().signal;
  const rows = DAYS.flatMap((day) => [0, 2].map((place) => ({ day, place })));

  test("are those of the rows, as far as the folder has them", async () => {
    const folder = await syncedFolder(ROWS);
    const state = await readSyncedFolder(folder);
    const others = [
      { day: DAYS[0], place: 3 },
      { day: "2030-01-01", place: 0 },
    ];
    const addressOf = await addressesOf({ folder, state, signal }, [...rows, ...others]);
    const expected = rows.map(({ day, place }) => ROWS.filter(({ crawl_date }) => crawl_date === day)[place]?.url);
    expect([...rows, ...others, { day: DAYS[0], place: 0 }].map(addressOf)).toEqual([
      ...expected,
      ...[undefined, undefined, undefined],
    ]);
  });

  test("are none of files without them, and an error of altered files", async () => {
    const folder = await syncedFolder(ROWS);
    await rewriteDay(folder, DAYS[0], (row) => ({ ...row, url: undefined }));
    const state = await readSyncedFolder(folder);
    expect(rows.map(await addressesOf({ folder, state, signal }, rows)).slice(0, 2)).toEqual([undefined, undefined]);
    const reason = new Error("that is enough");
    await expect(addressesOf({ folder, state, signal: AbortSignal.abort(reason) }, rows)).rejects.toBe(reason);
    await truncate(pathOf(folder, DAYS[0]), 100);
    await expect(addressesOf({ folder, state, signal }, rows)).rejects.toThrow("was changed or damaged");
  });
});
