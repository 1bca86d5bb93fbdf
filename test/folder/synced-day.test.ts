import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { SetChangedError } from "../../src/contract/errors.ts";
import { formatRcd } from "../../src/contract/filters.ts";
import { PRODUCT_COLUMNS, type Product } from "../../src/contract/product.ts";
import { createParquetEncoder } from "../../src/export/formats/parquet/parquet.ts";
import { columnChunks } from "../../src/export/formats/parquet/parquet-rows.ts";
import { fingerprint } from "../../src/files/fingerprint.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { type SyncState, writeState } from "../../src/folder/folder-state.ts";
import type { OpenParquetFile } from "../../src/folder/parquet-file.ts";
import { openDay, readSyncedFolder } from "../../src/folder/synced-day.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { products } from "../helpers/products.ts";
import { failureOf } from "../helpers/test-client.ts";

const DAY = "2026-01-01";

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
    let day: OpenParquetFile | undefined;
    const failure = await failureOf(
      openNow(folder.path, DAY).then((opened) => {
        day = opened;
      }),
    );
    if (failure === undefined) {
      expect(await countOf(day)).toBeGreaterThan(0);
    } else {
      expect(failure).toBeInstanceOf(SetChangedError);
    }
  }
  await sync;
  expect(await countOf(await openNow(folder.path, DAY))).toBe(29);
});

test("a day that the first sync has not stored yet does not count as empty", async () => {
  const folder = await syncedFolder();
  await writeState(folder.path, { ...folder.state, days: {}, pending: [DAY] });
  await expect(openNow(folder.path, DAY)).rejects.toThrow(SetChangedError);
  await writeState(folder.path, { ...folder.state, days: {}, pending: [] });
  expect(await openNow(folder.path, DAY)).toBeUndefined();
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
async function countOf(day: OpenParquetFile | undefined): Promise<number> {
  const { rows } = day === undefined ? { rows: 0 } : await columnChunks(day.buffer, ["sku"]);
  await day?.close();
  return rows;
}

async function openNow(folder: string, day: string): Promise<OpenParquetFile | undefined> {
  return await openDay(folder, day, await readSyncedFolder(folder));
}
