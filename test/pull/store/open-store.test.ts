import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FileError } from "../../../src/errors.ts";
import { lockOutput } from "../../../src/files/lock.ts";
import { type OpenStoreOptions, openStore } from "../../../src/pull/store/open-store.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

const CUTS = { page_size: 1, slice_pages: 1 };

async function opened(mode: OpenStoreOptions["mode"], folder: string) {
  const lock = await lockOutput(join(folder, "rows"), process.pid);
  const store = await openStore(
    { lines: join(folder, "lines"), pages: join(folder, "pages") },
    {
      ...{ head: { service: "a", filters: {}, asked: {} }, pageSize: 1, mode, tool: "test", startedAt: "" },
      ...{ lock, refuse: () => new Error("refused") },
    },
  );
  return { store, lock };
}

async function savePage({ pages }: Awaited<ReturnType<typeof openStore>>, slice = "slice"): Promise<void> {
  await pages.begin(CUTS);
  const coverage = { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null };
  const facts = { rows: 1, digest: "", cursor: null, set: { total: 1, coverage } };
  await pages.save(slice, 0, batchOf(["{}"]), facts);
}

test("a run that leaves its pages learns that their last sync failed, and the next one still goes on with them", async () => {
  const folder = await temporaryFolder();
  const { store, lock } = await opened("careful", folder);
  await savePage(store);
  const handle = await open(join(folder, "pages"));
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "datasync");
  sync.mockRejectedValueOnce(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
  await handle.close();
  await expect(store.leave()).rejects.toThrow(FileError);
  expect(sync).toHaveBeenCalledOnce();
  sync.mockRestore();
  await lock.release();
  const next = await opened("resume", folder);
  expect(next.store.pages.size()).toBe(1);
  await next.lock.release();
});

test("a run without a page leaves nothing", async () => {
  const folder = await temporaryFolder();
  const { store, lock } = await opened("careful", folder);
  await store.pages.begin(CUTS);
  expect(await store.leave()).toBe(false);
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
});

test("the next run does not go on with pages that this one discarded", async () => {
  const folder = await temporaryFolder();
  const { store, lock } = await opened("careful", folder);
  await savePage(store);
  await savePage(store, "other");
  await store.pages.discard("slice");
  await store.leave();
  await lock.release();
  const next = await opened("resume", folder);
  expect([next.store.pages.pagesOf("slice").length, next.store.pages.pagesOf("other").length]).toEqual([0, 1]);
  await next.lock.release();
});
