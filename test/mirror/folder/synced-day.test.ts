import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { formatRcd, type Rcd } from "../../../src/contract/filters.ts";
import { PRODUCT_COLUMNS, type Product } from "../../../src/contract/product.ts";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { diffDays } from "../../../src/diff/compare.ts";
import { SetChangedError } from "../../../src/errors.ts";
import { fingerprint } from "../../../src/export/manifest.ts";
import { placeOfDay } from "../../../src/mirror/folder/day-files.ts";
import { folderDays, rowsOfDay } from "../../../src/mirror/folder/folder-days.ts";
import { ownFolderOf } from "../../../src/mirror/folder/folder-lock.ts";
import { type SyncState, writeState } from "../../../src/mirror/folder/folder-state.ts";
import { openDay, openDays, readSyncedFolder, type SyncedDay } from "../../../src/mirror/folder/synced-day.ts";
import { createParquetEncoder } from "../../../src/output/formats/parquet/parquet.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { product, products } from "../../helpers/products.ts";
import { failureOf } from "../../helpers/test-client.ts";

const DAY = "2026-01-01";
const NEXT = "2026-01-02";

test("an open file keeps its content when a sync replaces it", async () => {
  const folder = await syncedFolder();
  await folder.replace(products(3));
  const day = await openNow(folder.path, DAY);
  await folder.replace(products(5));
  expect(await countOf(day)).toBe(3);
  expect(await countOf(await openNow(folder.path, DAY))).toBe(5);
});

test("a day is the newest one, even if the state was read before a sync", async () => {
  const folder = await syncedFolder();
  await folder.replace(products(3));
  const before = await readSyncedFolder(folder.path);
  await folder.replace(products(5));
  expect(await countOf(await openDay(folder.path, DAY, before))).toBe(5);
});

test("a day opened during a sync is either whole or refused", async () => {
  const folder = await syncedFolder();
  await folder.replace(products(1));
  let isOver = false;
  const sync = (async () => {
    for (let rows = 2; rows < 30; rows += 1) {
      await folder.replace(products(rows));
    }
    isOver = true;
  })();
  while (!isOver) {
    let day: SyncedDay | undefined;
    const failure = await failureOf(
      openNow(folder.path, DAY).then((opened) => {
        day = opened;
      }),
    );
    if (failure === undefined) {
      const counted = day?.combinations[0]?.rows;
      expect(await countOf(day)).toBe(counted);
    } else {
      expect(failure).toBeInstanceOf(SetChangedError);
    }
  }
  await sync;
  expect(await countOf(await openNow(folder.path, DAY))).toBe(29);
});

test("days are opened from the same moment, even if a sync replaces them meanwhile", async () => {
  const folder = await syncedFolder();
  await folder.replace(products(3), DAY, NEXT);
  // Days that the folder does not have take the time in between.
  const between = Array.from({ length: 300 }, (_, days) => addDays("2020-01-01", days));
  const opening = openDays(folder.path, [DAY, ...between, NEXT]).catch((error: unknown) => {
    expect(error).toBeInstanceOf(SetChangedError);
    return new Map<string, SyncedDay>();
  });
  await folder.replace(products(5), DAY, NEXT);
  const days = await opening;
  expect(await countOf(days.get(NEXT))).toBe(await countOf(days.get(DAY)));
});

test("a day that the first sync has not stored yet does not count as empty", async () => {
  const folder = await syncedFolder();
  await writeState(folder.path, { ...folder.state, days: {}, pending: [DAY] });
  await expect(openNow(folder.path, DAY)).rejects.toThrow(SetChangedError);
  await writeState(folder.path, { ...folder.state, days: {}, pending: [] });
  expect(await openNow(folder.path, DAY)).toBeUndefined();
});

test("days are compared a few retailers at a time, and each retailer is in one part", async () => {
  const folder = await syncedFolder();
  const rows = ["bolt", "acme", "zeta"].map((retailer) => product({ retailer }));
  await folder.replace(rows);
  await folder.replace(
    rows.map((row) => ({ ...row, selling_price: 5 })),
    NEXT,
  );
  const days = new Map<string, SyncedDay>();
  for (const day of [DAY, NEXT]) {
    const opened = await openNow(folder.path, day);
    days.set(day, opened as SyncedDay);
    onTestFinished(() => opened?.close());
  }
  const isWanted = ({ retailer }: Rcd) => retailer !== "zeta";
  const changed: string[] = [];
  const read: number[] = [];
  const summary = await diffDays(
    folderDays(days, { isWanted, signal: new AbortController().signal }),
    { from: DAY, to: NEXT, rowsAtOnce: 3, onRows: (count) => read.push(count) },
    async (differences) => {
      changed.push(...differences.map(({ retailer }) => retailer));
    },
  );
  expect([summary.products.changed, changed, read]).toEqual([2, ["acme", "bolt"], [1, 2, 3, 4]]);
});

test("a comparison can be interrupted", async () => {
  const folder = await syncedFolder();
  await folder.replace(products(3));
  const day = (await openNow(folder.path, DAY)) as SyncedDay;
  onTestFinished(() => day.close());
  const source = folderDays(new Map([[DAY, day]]), {
    isWanted: () => true,
    signal: AbortSignal.abort(new Error("enough")),
  });
  await expect(diffDays(source, { from: DAY, to: NEXT }, async () => undefined)).rejects.toThrow("enough");
});

/** A folder whose days can be replaced, as a sync does it. */
async function syncedFolder() {
  const path = await temporaryFolder();
  const staged = join(ownFolderOf(path), "staged");
  await mkdir(ownFolderOf(path));
  const state: SyncState = { version: 2, service: "test", filters: {}, window: {}, days: {}, pending: [] };
  const replace = async (rows: readonly Product[], ...replaced: string[]) => {
    const days = replaced.length === 0 ? [DAY] : replaced;
    await writeFile(staged, await parquetOf(rows));
    const content = await fingerprint(staged);
    const counts: Record<string, number> = {};
    for (const row of rows) {
      counts[formatRcd(row)] = (counts[formatRcd(row)] ?? 0) + 1;
    }
    await writeState(path, { ...state, pending: days });
    for (const day of days) {
      const file = join(path, placeOfDay(day));
      await mkdir(dirname(file), { recursive: true });
      await copyFile(staged, `${staged}.${day}`);
      await rename(`${staged}.${day}`, file);
      state.days[day] = { rows: rows.length, digest: content.sha256, ...content, counts };
    }
    await writeState(path, state);
  };
  return { path, state, replace };
}

async function parquetOf(rows: readonly Product[]): Promise<Buffer> {
  const encoder = createParquetEncoder({ known: PRODUCT_COLUMNS });
  const batch = batchOf(rows.map((row) => JSON.stringify(row)));
  const chunks = [await encoder.begin(), await encoder.encode(batch), await encoder.end()];
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
}

/** Counts the rows of the day, and closes it. */
async function countOf(day: SyncedDay | undefined): Promise<number> {
  let rows = 0;
  for await (const batch of rowsOfDay(day, day?.combinations ?? [])) {
    rows += batch.length;
  }
  await day?.close();
  return rows;
}

async function openNow(folder: string, day: string): Promise<SyncedDay | undefined> {
  return await openDay(folder, day, await readSyncedFolder(folder));
}
