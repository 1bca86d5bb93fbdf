import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { mkdtemp, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import type { CatalogClient } from "../../src/client/client.ts";
import { PRODUCT_COLUMNS, type Product } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { fingerprint } from "../../src/files/fingerprint.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import { readSyncedFolder, writeState } from "../../src/folder/folder-state.ts";
import { openPriceIndex } from "../../src/folder/index/update-index.ts";
import { type SyncResult, syncFolder } from "../../src/folder/sync/sync.ts";
import { FIRST_FILL, type FolderSyncOptions } from "../../src/folder/sync/sync-run.ts";
import type { Store } from "../../src/service/store/store.ts";
import { temporaryFolder } from "./cli.ts";
import type { OnEnd } from "./endings.ts";
import { onceEach } from "./once-each.ts";
import { parquetOf, parquetRows, rowsOfEach } from "./parquet-files.ts";
import { product } from "./products.ts";
import { startTestService } from "./service.ts";
import { testClient } from "./test-client.ts";

export const FIRST_DAY = "2026-01-01";
export const LAST_DAY = addDays(FIRST_DAY, 15);

/** Three rows a day of two retailers, from `FIRST_DAY` to `LAST_DAY`. */
export function sixteenDays(): Product[] {
  return Array.from({ length: 16 }, (_, day) => addDays(FIRST_DAY, day)).flatMap((crawl_date) => [
    product({ crawl_date, sku: "s0" }),
    product({ crawl_date, sku: "s1", mrp: 19.9 }),
    product({ crawl_date, sku: "s2", retailer: "bolt" }),
  ]);
}

/** A folder after its first run, to be copied. */
const firstRunOf = onceEach(async (rows: readonly Product[]): Promise<string> => {
  const parent = await mkdtemp(join(inject("sharedFolder"), "synced-"));
  const service = await startTestService({ rows, rateLimit: 1_000_000, onEnd: () => undefined });
  const { client } = testClient(new URL(service.url), { apiKey: service.key });
  const folder = join(parent, "copy");
  await syncFolder(client, defaults(folder, new URL(service.url).href));
  await client.close();
  await service.close();
  return folder;
});

/** The same with its index. */
const indexedOf = onceEach(async (rows: readonly Product[]): Promise<string> => {
  const folder = `${await firstRunOf(rows)}-indexed`;
  copyFolder(await firstRunOf(rows), folder);
  const state = await readSyncedFolder(folder);
  const index = await openPriceIndex({ folder, state, signal: new AbortController().signal });
  await index[Symbol.asyncDispose]();
  return folder;
});

/** Copies a folder. For few small files it takes a tenth of the time of `cp`. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const copy = entry.isDirectory() ? copyFolder : copyFileSync;
    copy(join(from, entry.name), join(to, entry.name));
  }
}

/**
 * A folder as after its first run, to be read: the service that it was synced with is gone.
 *
 * @param isIndexed whether a question was asked before, which built the index
 */
export async function syncedFolder(
  rows: readonly Product[],
  onEnd: OnEnd = onTestFinished,
  isIndexed = true,
): Promise<string> {
  const folder = join(await temporaryFolder(onEnd), "copy");
  copyFolder(await (isIndexed ? indexedOf(rows) : firstRunOf(rows)), folder);
  return folder;
}

export type TestSync = Partial<FolderSyncOptions>;

/**
 * A service whose rows a test can change between runs, and a folder that is synced with it.
 *
 * @param wrap changes the client of `sync`
 * @param onEnd registers closing; default: after the test
 */
export async function servedFolder(
  initial: readonly Product[],
  wrap = (client: CatalogClient) => client,
  onEnd: OnEnd = onTestFinished,
) {
  let rows = [...initial];
  let onRequest: () => Promise<void> = async () => {};
  const faults = (real: Store): Partial<Store> => ({
    snapshot: async (deadline) => {
      await onRequest();
      return real.snapshot(deadline);
    },
  });
  const { url, key, replaceRows } = await startTestService({ rows, rateLimit: 1_000_000, faults, onEnd });
  const { client } = testClient(new URL(url), { apiKey: key });
  onEnd(() => client.close());
  const folder = join(await temporaryFolder(onEnd), "copy");
  const file = (day: string) => join(folder, `crawl_date=${day}`, "part-0.parquet");
  const days = () => syncedDays(folder);
  let requests = 0;
  const counting: CatalogClient = {
    ...client,
    coverage: (...args) => {
      requests += 1;
      return client.coverage(...args);
    },
    catalog: (...args) => {
      requests += 1;
      return client.catalog(...args);
    },
  };
  return {
    folder,
    file,
    days,
    env: { CATALOG_BASE_URL: url, CATALOG_API_KEY: key },
    all: () => rows,
    /** Replaces the rows of the service. */
    replace: async (next: readonly Product[]) => {
      rows = [...next];
      await replaceRows(rows);
    },
    /** One run, as in the command; `requests` are the requests it sent. */
    sync: async (options: TestSync = {}): Promise<SyncResult & { requests: number }> => {
      requests = 0;
      const result = await syncFolder(wrap(counting), { ...defaults(folder, new URL(url).href), ...options });
      return { ...result, requests };
    },
    /** Makes the folder as after its first run, and a first question if `isIndexed`. */
    alreadySynced: async (isIndexed = false): Promise<void> => {
      copyFolder(await (isIndexed ? indexedOf(rows) : firstRunOf(rows)), folder);
      await writeState(folder, { ...(await readSyncedFolder(folder)), service: new URL(url).href });
    },
    /** Resolves when the service has received this number of further requests. The last of them gets no response. */
    stalledAt: (count: number) =>
      new Promise<void>((resolve) => {
        let left = count;
        onRequest = async () => {
          left -= 1;
          if (left === 0) {
            onRequest = async () => {};
            resolve();
            await new Promise(() => {});
          }
        };
      }),
    /** The time of the last change and the identity of each day's file. */
    times: async () =>
      Promise.all(
        (await days()).map(async (day) => [day, (await stat(file(day))).mtimeMs, (await stat(file(day))).ino]),
      ),
    /** The rows that a reader of the folder finds, with the days of their folders. */
    copy: async (): Promise<Product[]> => inOrder(await syncedRows(folder)),
    /** The rows that it should find. */
    expected: () => inOrder(rows),
  };
}

async function syncedDays(folder: string): Promise<string[]> {
  return (await readdir(folder)).flatMap((name) => /^crawl_date=(.*)/.exec(name)?.[1] ?? []).sort();
}

/** The rows that a reader of a synced folder finds, with the days of their folders. */
export async function syncedRows(folder: string): Promise<Product[]> {
  const days = await syncedDays(folder);
  const read = await rowsOfEach(days.map((day) => join(folder, placeOfDay(day))));
  return read.flatMap((rows, at) => rows.map((row) => ({ ...row, crawl_date: days[at] }) as Product));
}

/** Writes the rows of a day's file anew, as another version of the tool might have: `rowOf` gives the members of each. */
export async function rewriteDay(folder: string, day: string, rowOf: (row: object) => object): Promise<void> {
  const path = join(folder, placeOfDay(day));
  const rows = (await parquetRows(path)).map(rowOf);
  const columns = Object.entries(rows[0] ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const known = [
    ...PRODUCT_COLUMNS.filter((name) => columns.includes(name)),
    ...columns.filter((name) => !PRODUCT_COLUMNS.some((column) => column === name)),
  ];
  await writeFile(path, await parquetOf([rows.map((row) => JSON.stringify(row))], { known }));
  const state = await readSyncedFolder(folder);
  Object.assign(state.days[day] ?? {}, await fingerprint(path));
  await writeState(folder, state);
}

function defaults(folder: string, service: string): FolderSyncOptions {
  return {
    folder,
    service,
    filters: {},
    ...FIRST_FILL,
    now: Date.now,
    concurrency: 8,
    pageSize: 500,
    pid: process.pid,
    tool: "test",
    signal: new AbortController().signal,
  };
}

function inOrder(rows: readonly Product[]): Product[] {
  return [...rows].sort((a, b) => (a.product_id < b.product_id ? -1 : 1));
}
