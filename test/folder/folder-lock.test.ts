import { once } from "node:events";
import { mkdir, open, readdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { LockedError } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { moveIntoPlace } from "../../src/export/destination/partitions.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import { type LockedFolder, lockFolder, ownFolderOf, storeIn } from "../../src/folder/folder-lock.ts";
import { newState } from "../../src/folder/folder-state.ts";
import { placeDays, type SyncRun } from "../../src/folder/sync/sync-run.ts";
import { finishBatch } from "../../src/folder/sync/unfinished.ts";
import { openPageStore, type StoreOptions } from "../../src/pull/store/open-store.ts";
import type { SetFacts } from "../../src/pull/store/page-store.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { FIRST_DAY } from "../helpers/synced-folder.ts";
import { failureOf } from "../helpers/test-client.ts";

/** Does something with a locked folder. An error after the lock was lost has that as its reason, as in the commands. */
async function withLockedFolder(folder: string, work: (locked: LockedFolder) => Promise<void>): Promise<void> {
  await using locked = await lockFolder(folder, process.pid);
  try {
    await work(locked);
  } catch (error) {
    await locked.lock.assertLocked();
    throw error;
  }
}

/** Makes the lock that of a process elsewhere, which was silent for longer than a lock lives. */
async function makeStale(folder: string): Promise<void> {
  const path = join(ownFolderOf(folder), "lock");
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), namespace: "another" }));
  const time = Date.now() / 1_000 - 61;
  await utimes(path, time, time);
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder, { recursive: true }).catch(() => []);
}

test("runs that begin while others end lock the folder, or find it locked", async () => {
  const folder = await temporaryFolder();
  const lockOften = async () => {
    for (let run = 0; run < 100; run += 1) {
      const failure = await failureOf(withLockedFolder(folder, async () => undefined));
      expect(failure ?? new LockedError("")).toBeInstanceOf(LockedError);
    }
  };
  await Promise.all([lockOften(), lockOften(), lockOften(), lockOften()]);
});

test.each([
  ["export", ["export", "--partition-by", "crawl_date", "-f", "csv", "-o"]],
  ["sync", ["sync"]],
])("%s that was stopped while another run took its lock moves nothing and removes nothing", async (_, args) => {
  const days = Array.from({ length: 60 }, (_, day) => product({ crawl_date: addDays(FIRST_DAY, day) }));
  const { url, key } = await startTestService({ rows: days });
  const folder = await temporaryFolder();
  const child = startCatalog([...args, folder], { env: { CATALOG_BASE_URL: url, CATALOG_API_KEY: key } });
  const closed = once(child, "close");
  // The rows are there, and the first of the new files.
  while (!(await namesIn(ownFolderOf(folder))).some((name) => /^staging-[^/]*\/(?!rows)/.test(name))) {
    await setTimeout(2);
  }
  child.kill("SIGSTOP");
  const state = join(ownFolderOf(folder), "state.json");
  expect(await readdir(folder)).toEqual([".catalog"]);
  await makeStale(folder);
  await withLockedFolder(folder, async ({ lock, staging }) => {
    await writeFile(join(staging, "1"), "mine");
    await writeFile(state, "mine");
    child.kill("SIGCONT");
    expect((await closed)[0]).toBe(5);
    expect({
      inFolder: await readdir(folder),
      inStaging: await readdir(staging),
      state: await readFile(state, "utf8"),
    }).toEqual({ inFolder: [".catalog"], inStaging: ["1"], state: "mine" });
    await lock.assertLocked();
  });
});

/** Gives the lock of a folder to another process, as `lock` does. */
async function takeLock(folder: string): Promise<void> {
  await writeFile(join(folder, "other"), "{}");
  await rename(join(folder, "other"), join(ownFolderOf(folder), "lock"));
}

test("files are moved only as long as the lock is held, also in the middle of a move", async () => {
  const folder = await temporaryFolder();
  const moved = withLockedFolder(folder, async ({ lock, staging }) => {
    const files = new Map<string, string>();
    for (const name of ["a", "b"]) {
      await writeFile(join(staging, name), name);
      files.set(`day=${name}/${name}`, join(staging, name));
    }
    let asked = 0;
    await moveIntoPlace(folder, files, async () => {
      asked += 1;
      if (asked === 2) {
        await takeLock(folder);
      }
      await lock.assertLocked();
    });
  });
  await expect(moved).rejects.toThrow(LockedError);
  expect({ inFolder: (await readdir(folder)).sort(), inOwnFolder: await readdir(ownFolderOf(folder)) }).toEqual({
    inFolder: [".catalog", "day=a"],
    inOwnFolder: ["lock"],
  });
});

test("no page, no day and no state of a folder is written without its lock", async () => {
  const folder = await temporaryFolder();
  const paths = storeIn(folder, "sync");
  const lost = withLockedFolder(folder, async (locked) => {
    const options: StoreOptions = {
      ...{ head: { service: "a", filters: {}, asked: {} }, pageSize: 1, mode: "fresh", tool: "test", startedAt: "" },
      ...{ lock: locked.lock, refuse: () => new Error("refused"), onNote: () => undefined, onLeft: () => undefined },
    };
    await using store = await openPageStore(paths, options);
    const { pages } = store;
    await takeLock(folder);
    await expect(pages.begin({ page_size: 1, slice_pages: 1 })).rejects.toThrow(LockedError);
    const page = { rows: 1, digest: "", cursor: null, set: {} as SetFacts };
    await expect(pages.save("slice", 0, batchOf(["{}"]), page)).rejects.toThrow(LockedError);
    const state = newState({ service: "a", filters: {} });
    const run = { ...locked, state, options: { folder } } as unknown as SyncRun;
    await expect(placeDays(run, new Map([[FIRST_DAY, undefined]]))).rejects.toThrow(LockedError);
    throw new Error("hidden by the reason for all of these");
  });
  await expect(lost).rejects.toThrow(LockedError);
  expect((await readdir(ownFolderOf(folder))).sort()).toEqual(["lock", "sync.json", "sync.pages"]);
  expect((await stat(paths.lines)).size).toBe(0);
  expect((await stat(paths.pages)).size).toBe(0);
});

test("what another process stages stays if it took the lock before this one began to work", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(ownFolderOf(folder), "staging-theirs"), { recursive: true });
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as { datasync(): Promise<void> };
  await handle.close();
  const { datasync } = prototype;
  onTestFinished(() => void vi.restoreAllMocks());
  // The first file that is synced is the lock.
  vi.spyOn(prototype, "datasync").mockImplementationOnce(async function (this: object) {
    await datasync.call(this);
    await takeLock(folder);
  });
  let hasWorked = false;
  const lost = withLockedFolder(folder, async () => {
    hasWorked = true;
  });
  await expect(lost).rejects.toThrow(LockedError);
  expect({ hasWorked, files: await readdir(ownFolderOf(folder)) }).toEqual({
    hasWorked: false,
    files: ["lock", "staging-theirs"],
  });
});

/** A run of a folder whose lock is still held when it is asked for so many times, and then no more. */
function runThatLosesItsLock(folder: string, times: number): SyncRun {
  let asked = 0;
  const assertLocked = async () => {
    asked += 1;
    if (asked > times) {
      throw new LockedError("another process has it");
    }
  };
  return { lock: { assertLocked }, state: newState({ service: "a", filters: {} }), options: { folder } } as never;
}

test("useless pages stay if another process has the lock by now", async () => {
  const folder = await temporaryFolder();
  await mkdir(ownFolderOf(folder));
  await Promise.all(Object.values(storeIn(folder, "sync")).map((path) => writeFile(path, "of another process")));
  await expect(finishBatch(runThatLosesItsLock(folder, 0), undefined)).rejects.toThrow(LockedError);
  expect(await readdir(ownFolderOf(folder))).toEqual(["sync.json", "sync.pages"]);
});

test("a day stays if the lock is lost after the state has the day as pending", async () => {
  const folder = await temporaryFolder();
  const day = join(folder, placeOfDay(FIRST_DAY));
  await mkdir(dirname(day), { recursive: true });
  await mkdir(ownFolderOf(folder));
  await writeFile(day, "of another process");
  // Before the state is written, and before it gets its name.
  const run = runThatLosesItsLock(folder, 2);
  await expect(placeDays(run, new Map([[FIRST_DAY, undefined]]))).rejects.toThrow(LockedError);
  expect(await readdir(dirname(day))).toEqual([basename(day)]);
});

test("what earlier runs staged is removed, and the folder of the tool is gone when nothing is kept", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(ownFolderOf(folder), "staging/left"), { recursive: true });
  await withLockedFolder(folder, async ({ staging }) => {
    expect(await readdir(ownFolderOf(folder))).toEqual(["lock", basename(staging)]);
  });
  expect(await readdir(folder)).toEqual([]);
});
