import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { SetChangedError } from "../../src/contract/errors.ts";
import { formatRcd } from "../../src/contract/filters.ts";
import type { Product } from "../../src/contract/product.ts";
import { fingerprint } from "../../src/files/fingerprint.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import type { DayState } from "../../src/folder/day-state.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { type SyncState, writeState } from "../../src/folder/folder-state.ts";
import { checkDay, readSyncedFolder } from "../../src/folder/synced-day.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { parquetOf } from "../helpers/parquet-files.ts";
import { products } from "../helpers/products.ts";
import { failureOf } from "../helpers/test-client.ts";

const DAY = "2026-01-01";

test("a day is the newest one, even if the state was read before a sync", async () => {
  const folder = await syncedFolder();
  await folder.replace(products(3));
  const before = await readSyncedFolder(folder.path);
  await folder.replace(products(5));
  expect(await checkDay(folder.path, DAY, before)).toMatchObject({ rows: 5 });
});

test("a day checked during a sync is either whole or refused", async () => {
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
    const failure = await failureOf(checkNow(folder.path, DAY));
    expect(failure ?? new SetChangedError("")).toBeInstanceOf(SetChangedError);
  }
  await sync;
  expect(await checkNow(folder.path, DAY)).toMatchObject({ rows: 29 });
});

test("a day that the first sync has not stored yet does not count as empty", async () => {
  const folder = await syncedFolder();
  await writeState(folder.path, { ...folder.state, days: {}, pending: [DAY] });
  await expect(checkNow(folder.path, DAY)).rejects.toThrow(SetChangedError);
  await writeState(folder.path, { ...folder.state, days: {}, pending: [] });
  expect(await checkNow(folder.path, DAY)).toBeUndefined();
});

/** A folder whose days can be replaced, as a sync does it. */
async function syncedFolder() {
  const path = await temporaryFolder();
  const staged = join(ownFolderOf(path), "staged");
  await mkdir(ownFolderOf(path));
  const state: SyncState = { version: 2, service: "test", filters: {}, window: {}, days: {}, pending: [] };
  const replace = async (rows: readonly Product[], ...replaced: string[]) => {
    const days = replaced.length === 0 ? [DAY] : replaced;
    await writeFile(staged, await parquetOf([rows.map((row) => JSON.stringify(row))]));
    const content = await fingerprint(staged);
    const counts = new Map<string, number>();
    for (const row of rows) {
      counts.set(formatRcd(row), (counts.get(formatRcd(row)) ?? 0) + 1);
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

async function checkNow(folder: string, day: string): Promise<DayState | undefined> {
  return await checkDay(folder, day, await readSyncedFolder(folder));
}
