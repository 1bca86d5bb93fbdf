import { execFile } from "node:child_process";
import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import type { DuckDb } from "../../../src/files/duckdb.ts";
import { readRows } from "../../../src/folder/ask/ask.ts";
import { openJudgedPrices } from "../../../src/folder/ask/judged-prices.ts";
import { placeOfDay } from "../../../src/folder/day-files.ts";
import { ownFolderOf } from "../../../src/folder/folder-lock.ts";
import { readSyncedFolder } from "../../../src/folder/folder-state.ts";
import { openPriceIndex, priceIndexPath } from "../../../src/folder/index/update-index.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../../helpers/cli.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, servedFolder, syncedFolder } from "../../helpers/synced-folder.ts";

const DAYS = [0, 1, 2].map((day) => addDays(FIRST_DAY, day));

const ROWS = DAYS.flatMap((crawl_date, day) => [
  product({ crawl_date, sku: "s0", selling_price: 10 + day }),
  product({ crawl_date, sku: "s1", retailer: "bolt", selling_price: 20.05 + day }),
]);

/** The prices of a folder, how many days were read from their files, and why the index was not stored. */
async function read(folder: string) {
  const [readDays, notStored]: [number[], string[]] = [[], []];
  await using index = await openPriceIndex({
    ...{ folder, state: await readSyncedFolder(folder), signal: new AbortController().signal },
    onBuild: (days) => readDays.push(days),
    onNotStored: (reason) => notStored.push(reason),
  });
  const sql = "SELECT day, retailer, sku, selling_price FROM observation JOIN product USING (product) ORDER BY ALL";
  const prices = (await readRows(index, sql, {})).map((row) => row.map(String).join(" "));
  return { prices, readDays, notStored };
}

function pricesOf(rows: readonly (typeof ROWS)[number][]): string[] {
  return rows
    .map(({ crawl_date, retailer, sku, selling_price }) =>
      [crawl_date, retailer, sku, selling_price.toFixed(4)].join(" "),
    )
    .sort();
}

describe("the index of a folder", () => {
  test("has the prices of all days, and reads each file once", async () => {
    const folder = await syncedFolder(ROWS, onTestFinished, false);
    expect(await read(folder)).toEqual({ prices: pricesOf(ROWS), readDays: [3], notStored: [] });
    expect(await read(folder)).toEqual({ prices: pricesOf(ROWS), readDays: [], notStored: [] });
    expect(await readdir(ownFolderOf(folder))).toEqual(["prices.duckdb", "state.json"]);
  });

  test("follows syncs that replace, add and remove a day, and reads only those", async () => {
    const served = await servedFolder(ROWS);
    await served.alreadySynced(true);
    const [first = "", second] = DAYS;
    const next = [
      ...ROWS.filter(({ crawl_date }) => crawl_date !== second).map((row) =>
        row.crawl_date === first ? { ...row, selling_price: row.selling_price + 1 } : row,
      ),
      product({ crawl_date: addDays(FIRST_DAY, 3), sku: "s0", selling_price: 9 }),
    ];
    await served.replace(next);
    await served.sync({ lookback: 9 });
    expect(await read(served.folder)).toEqual({ prices: pricesOf(next), readDays: [2], notStored: [] });
  });

  test("has no product any more whose rows were removed", async () => {
    const served = await servedFolder([...ROWS, product({ crawl_date: FIRST_DAY, sku: "gone" })]);
    await served.alreadySynced(true);
    await served.replace(ROWS);
    await served.sync({ lookback: 9 });
    const list = join(await temporaryFolder(), "list.csv");
    await writeFile(list, "sku\ngone\n");
    const { stderr } = await runInProcess(["latest", served.folder, "--skus", list]);
    expect(stderr).toBe('warning: no row for 1 product on the list: "gone"\n');
  });

  test.each<[string, (path: string) => Promise<void>]>([
    ["cut off", (path) => truncate(path, 5_000)],
    ["empty", (path) => truncate(path, 0)],
    ["another file", (path) => writeFile(path, "no database")],
    [
      "of another version",
      async (path) => {
        const connection = await (await DuckDBInstance.create(path)).connect();
        await connection.run("UPDATE meta SET version = 'another'");
        connection.closeSync();
      },
    ],
    [
      "a folder",
      async (path) => {
        await rm(path);
        await mkdir(path);
      },
    ],
  ])("is built anew, or in memory, if there is one that is %s", async (_, damage) => {
    const folder = await syncedFolder(ROWS);
    await damage(priceIndexPath(folder));
    const { prices, readDays } = await read(folder);
    expect({ prices, first: readDays[0] }).toEqual({ prices: pricesOf(ROWS), first: 3 });
  });

  test("is in memory if a link is where the tool's own folder should be", async () => {
    const folder = await syncedFolder(ROWS, onTestFinished, false);
    const state = await readSyncedFolder(folder);
    const elsewhere = `${folder}-own`;
    await mkdir(elsewhere);
    await rm(ownFolderOf(folder), { recursive: true });
    await symlink(elsewhere, ownFolderOf(folder));
    const request = { folder, state, signal: new AbortController().signal };
    await expect(openPriceIndex(request)).rejects.toThrow("link");
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test("has no more days of a retailer than usual rows tell something about", async () => {
    const folder = await syncedFolder(ROWS);
    const request = { folder, state: await readSyncedFolder(folder), signal: new AbortController().signal };
    await using index = await openPriceIndex(request);
    const days = "SELECT retailer, count(*)::INTEGER FROM retailer_day('9999-12-31') GROUP BY ALL ORDER BY ALL";
    expect(await readRows(index, days, {})).toEqual([
      ["acme", DAYS.length + 56],
      ["bolt", DAYS.length + 56],
    ]);
  });

  test("keeps to the memory that it may use, also in memory, and uses one thread for few rows", async () => {
    const folder = await syncedFolder(ROWS, onTestFinished, false);
    const settings = ["current_setting('memory_limit')", "current_setting('threads')::INTEGER", "current_database()"];
    const settingsOf = async (index: DuckDb) => (await readRows(index, `SELECT ${settings.join(", ")}`, {}))[0];
    // DuckDB cannot write there.
    const unusual = `${folder}?`;
    await rename(folder, unusual);
    const request = { folder: unusual, state: await readSyncedFolder(unusual), signal: new AbortController().signal };
    await using index = await openPriceIndex({ ...request, memory: 100 * 1024 ** 2 });
    expect(await settingsOf(index)).toEqual(["100.0 MiB", 1, "memory"]);
  });

  test.each([
    ["latest", ".", "--category", "lamps"],
    ["latest", ".", "--suspect-factor", "5"],
    ["report", ".", "--brand", "Brand", "--end-date", DAYS[1] ?? "", "-f", "json"],
    ["sql", "from series", ".", "--with", "series=./list.csv"],
  ])("answers in memory as from a file: %s %s %s %s", async (...question) => {
    const folder = await syncedFolder(ROWS);
    await writeFile(join(folder, "list.csv"), "sku\ns0\n");
    const answer = async (cwd: string) => {
      const { code, stdout } = await runInProcess(
        [...question, "-q"].map((word) => word.replace("=./", `=${cwd}/`)),
        { cwd },
      );
      return [code, stdout.replaceAll(cwd, ".")];
    };
    const fromFile = await answer(folder);
    expect(fromFile).toEqual([0, expect.stringContaining("s0")]);
    await rename(folder, `${folder}?`);
    await rm(priceIndexPath(`${folder}?`));
    expect(await answer(`${folder}?`)).toEqual(fromFile);
  });

  test("is removed if a question finds it damaged", async () => {
    const folder = await syncedFolder(ROWS);
    const path = priceIndexPath(folder);
    const state = await readSyncedFolder(folder);
    await using index = await openPriceIndex({ folder, state, signal: new AbortController().signal });
    const damaged = index.until(async () => {
      throw new Error("IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2");
    });
    await expect(damaged).rejects.toThrow(`${path} is damaged and was removed; run the command again`);
    expect(await readdir(ownFolderOf(folder))).toEqual(["state.json"]);
    await mkdir(path);
    // No user may remove a folder as a file.
    await expect(index.until(() => Promise.reject(new Error("corrupt database file")))).rejects.toThrow(
      /prices\.duckdb: .*, but it is damaged and must be removed/,
    );
  });

  test("leaves no temporary folder if a statement before the question fails", async () => {
    const [folder, temporary] = [await syncedFolder(ROWS), await temporaryFolder()];
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const scope = { departments: null, categories: null, combinations: null, brands: null };
    const request = { folder, state: await readSyncedFolder(folder), signal: new AbortController().signal, scope };
    await expect(openJudgedPrices({ ...request, lastDay: FIRST_DAY, suspectFactor: "none" })).rejects.toThrow("none");
    expect(await readdir(temporary)).toEqual([]);
  });

  test.each(["", "DELETE FROM day WHERE day = (SELECT max(day) FROM day); UPDATE meta SET days = ''"])(
    "is in memory if the disk is full, without an older one and with one: %s",
    async (older) => {
      const folder = await syncedFolder(ROWS, onTestFinished, older !== "");
      if (older !== "") {
        const connection = await (await DuckDBInstance.create(priceIndexPath(folder))).connect();
        await connection.run(older);
        connection.closeSync();
      }
      // As on a full disk, writes fail: here beyond a size of 40 blocks of a file.
      const limited = ["-c", 'trap "" XFSZ; ulimit -f 40; exec "$0" "$@"', process.execPath, CATALOG];
      const question = ["history", "s0", folder, "-f", "csv", "--columns", "crawl_date", "-v"];
      const { stdout, stderr } = await promisify(execFile)("/bin/sh", [...limited, ...question], {
        env: bareEnvironment(),
      });
      expect(stdout).toBe(["crawl_date", ...DAYS, ""].join("\r\n"));
      expect(stderr.match(/Could not write/g)).toHaveLength(1);
    },
  );

  test("is not made from a file that was altered", async () => {
    const folder = await syncedFolder(ROWS, onTestFinished, false);
    const path = join(folder, placeOfDay(FIRST_DAY));
    await truncate(path, 100);
    await expect(read(folder)).rejects.toThrow(`${path} was changed or damaged since the last sync`);
    expect(await readdir(ownFolderOf(folder))).toEqual(["state.json"]);
  });
});
