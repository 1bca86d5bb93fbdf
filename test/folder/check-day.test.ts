import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { SetChangedError } from "../../src/contract/errors.ts";
import { fingerprint } from "../../src/files/fingerprint.ts";
import { checkDay } from "../../src/folder/check-day.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import type { DayState } from "../../src/folder/day-state.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { readSyncedFolder, type SyncState, writeState } from "../../src/folder/folder-state.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { failureOf } from "../helpers/test-client.ts";

const DAY = "2026-01-01";

test("a day is the newest one, even if the state was read before a sync", async () => {
  const folder = await syncedFolder();
  await folder.replace(3);
  const before = await readSyncedFolder(folder.path);
  await folder.replace(5);
  expect(await checkDay(folder.path, DAY, before)).toMatchObject({ rows: 5 });
});

test("a day checked during a sync is either whole or refused", async () => {
  const folder = await syncedFolder();
  await folder.replace(1);
  let isOver = false;
  const sync = (async () => {
    for (let rows = 2; rows < 30; rows += 1) {
      await folder.replace(rows);
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

/** A folder whose day can be replaced, as a sync does it. What is in its file does not matter to a check. */
async function syncedFolder() {
  const path = await temporaryFolder();
  const file = join(path, placeOfDay(DAY));
  const staged = join(ownFolderOf(path), "staged");
  await mkdir(ownFolderOf(path));
  await mkdir(dirname(file));
  const state: SyncState = { service: "test", filters: {}, window: {}, days: {}, pending: [] };
  const replace = async (rows: number) => {
    await writeFile(staged, "row".repeat(rows));
    const content = await fingerprint(staged);
    await writeState(path, { ...state, pending: [DAY] });
    await rename(staged, file);
    state.days[DAY] = { rows, digest: "", ...content, counts: new Map([["acme:lamps:home", rows]]) };
    await writeState(path, state);
  };
  return { path, state, replace };
}

async function checkNow(folder: string, day: string): Promise<DayState | undefined> {
  return await checkDay(folder, day, await readSyncedFolder(folder));
}
