import { type FileHandle, open, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FileError, LockedError } from "../../../src/contract/errors.ts";
import { lockOutput } from "../../../src/files/lock.ts";
import { openPageStore, type StoreOptions } from "../../../src/pull/store/open-store.ts";
import type { PageStore } from "../../../src/pull/store/page-store.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

const CUTS = { page_size: 1, slice_pages: 1 };

/** Does `work` with the pages of a run that fails then. Returns what it says of the pages that it leaves. */
async function failedRun(folder: string, mode: StoreOptions["mode"], work: (pages: PageStore) => Promise<void>) {
  const left: (Error | undefined)[] = [];
  const failing = async (pages: PageStore) => {
    await work(pages);
    throw new Error("failed");
  };
  await expect(run(folder, mode, failing, left)).rejects.toThrow("failed");
  return left;
}

async function run(
  folder: string,
  mode: StoreOptions["mode"],
  work: (pages: PageStore) => Promise<void>,
  left: (Error | undefined)[] = [],
): Promise<void> {
  const lock = await lockOutput(join(folder, "rows"), process.pid);
  try {
    await using store = await openPageStore(
      { lines: join(folder, "lines"), pages: join(folder, "pages") },
      {
        ...{ head: { service: "a", filters: {}, asked: {} }, pageSize: 1, mode, tool: "test", startedAt: "", lock },
        ...{ refuse: () => new Error("refused"), onNote: () => undefined, onLeft: (lost) => void left.push(lost) },
      },
    );
    await work(store.pages);
    await store.remove();
  } finally {
    await lock.release();
  }
}

test("nothing is left of a store whose second file cannot be created", async () => {
  const folder = await temporaryFolder();
  const lock = await lockOutput(join(folder, "rows"), process.pid);
  const paths = { lines: join(folder, "lines"), pages: join(folder, "missing", "pages") };
  const opening = openPageStore(paths, {
    ...{
      head: { service: "a", filters: {}, asked: {} },
      pageSize: 1,
      mode: "careful",
      tool: "test",
      startedAt: "",
      lock,
    },
    ...{ refuse: () => new Error("refused"), onNote: () => undefined, onLeft: () => undefined },
  });
  await expect(opening).rejects.toThrow(FileError);
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
});

/** Another process takes the lock, as after a minute in which this one was stopped. */
async function takeLock(folder: string): Promise<void> {
  await writeFile(join(folder, "other"), "{}");
  await rename(join(folder, "other"), join(folder, "rows.partial.lock"));
}

async function savePage(pages: PageStore, slice = "slice"): Promise<void> {
  await pages.begin(CUTS);
  const coverage = { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null };
  const facts = { rows: 1, digest: "", cursor: null, set: { total: 1, coverage } };
  await pages.save(slice, 0, batchOf(["{}"]), facts);
}

test("a run that leaves its pages learns that their last sync failed, and the next one still goes on with them", async () => {
  const folder = await temporaryFolder();
  const handle = await open(folder);
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "datasync");
  await handle.close();
  const left = await failedRun(folder, "careful", async (pages) => {
    await savePage(pages);
    sync.mockClear();
    sync.mockRejectedValueOnce(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
  });
  expect([left, sync.mock.calls.length]).toEqual([[expect.any(FileError)], 1]);
  sync.mockRestore();
  await failedRun(folder, "resume", async (pages) => expect(pages.size()).toBe(1));
});

test("a run without a page leaves nothing", async () => {
  const folder = await temporaryFolder();
  expect(await failedRun(folder, "careful", async (pages) => void (await pages.begin(CUTS)))).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test("the next run does not go on with pages that this one discarded", async () => {
  const folder = await temporaryFolder();
  await failedRun(folder, "careful", async (pages) => {
    await savePage(pages);
    await savePage(pages, "other");
    await pages.discard("slice");
  });
  await failedRun(folder, "resume", async (pages) =>
    expect([pages.pagesOf("slice").length, pages.pagesOf("other").length]).toEqual([0, 1]),
  );
});

test("a process that has lost its lock writes neither a page nor a line", async () => {
  const folder = await temporaryFolder();
  const files = () => Promise.all(["lines", "pages"].map((name) => readFile(join(folder, name), "utf8")));
  await failedRun(folder, "careful", async (pages) => {
    await savePage(pages);
    const before = await files();
    await takeLock(folder);
    await expect(savePage(pages, "next")).rejects.toThrow(LockedError);
    await expect(pages.discard("slice")).rejects.toThrow(LockedError);
    expect(await files()).toEqual(before);
  });
});

test("a process that has lost its lock leaves the store to the one that has it", async () => {
  const folder = await temporaryFolder();
  await run(folder, "careful", async (pages) => {
    await savePage(pages);
    await takeLock(folder);
  });
  expect((await readdir(folder)).sort()).toEqual(["lines", "pages", "rows.partial.lock"]);
});
