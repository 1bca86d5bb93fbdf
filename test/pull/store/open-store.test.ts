import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { FileError, LockedError } from "../../../src/contract/errors.ts";
import { lockOutput } from "../../../src/files/lock.ts";
import { type Leftover, type OpenStore, openPageStore, type StoreOptions } from "../../../src/pull/store/open-store.ts";
import type { PageStore } from "../../../src/pull/store/page-store.ts";
import { lineOf, STORE_VERSION } from "../../../src/pull/store/store-lines.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { PAGE_FACTS } from "../../helpers/pulls.ts";

function described(leftover: Leftover): string {
  return leftover.reason === "other version"
    ? leftover.reason
    : `${leftover.reason}: ${leftover.pages} pages of ${leftover.head.service}`;
}

const HEAD = { service: "a", filters: { retailer: "x" }, asked: {} };
const CUTS = { page_size: 1, slice_pages: 1 };

/** A folder for a store, and what its runs say. */
async function setUp() {
  const root = await temporaryFolder();
  const folder = join(root, "store");
  await mkdir(folder);
  const paths = { lines: join(folder, "lines"), pages: join(folder, "pages") };
  const notes: string[] = [];
  const left: (Error | undefined)[] = [];
  const run = async (options: Partial<StoreOptions>, work: (store: OpenStore) => Promise<void>) => {
    const lock = await lockOutput(join(root, "rows"), process.pid);
    try {
      await using store = await openPageStore(paths, {
        ...{ head: HEAD, pageSize: 1, mode: "resume", tool: "test", startedAt: "at first", lock },
        refuse: (leftover) => new Error(described(leftover)),
        onNote: (note) => void notes.push(note.replace(paths.lines, "LINES")),
        onLeft: (lost) => void left.push(lost),
        ...options,
      });
      await work(store);
      await store.remove();
    } finally {
      await lock.release();
    }
  };
  /** A run that fails after its work. */
  const failed = (options: Partial<StoreOptions>, work: (pages: PageStore) => Promise<unknown>) =>
    expect(
      run(options, async ({ pages }) => {
        await work(pages);
        throw new Error("interrupted");
      }),
    ).rejects.toThrow("interrupted");
  /** A run that saves pages, one of each slice, and fails then. */
  const interrupted = (...slices: string[]) =>
    failed({}, async (pages) => {
      for (const slice of slices) {
        await save(pages, slice);
      }
    });
  /** Another process takes the lock, as after a minute in which this one was stopped. */
  const takeLock = async () => {
    await writeFile(join(root, "other"), "{}");
    await rename(join(root, "other"), join(root, "rows.partial.lock"));
  };
  const contents = () => Promise.all([paths.lines, paths.pages].map((path) => readFile(path, "utf8")));
  return { folder, paths, notes, left, run, failed, interrupted, takeLock, contents };
}

async function save(pages: PageStore, slice: string): Promise<void> {
  await pages.begin(CUTS);
  await pages.save(slice, 0, batchOf([`{"slice":"${slice}"}`]), PAGE_FACTS);
}

/** The rows of the pages of these slices. */
function rowsIn(pages: PageStore, slices: readonly string[]) {
  const pagesOf = slices.flatMap((slice) => pages.pagesOf(slice));
  return Promise.all(pagesOf.map(async (page) => (await pages.read(page))?.texts()[0]));
}

const SLICES = ["s1", "s2", "s3", "s4", "s5", "s6"];

const withoutLastByte = (text: string) => text.slice(0, -1);
const withoutPages = (text: string) => text.slice(0, text.indexOf("\n") + 1);
const otherVersion = () => `${lineOf({ kind: "head", version: STORE_VERSION + 1, ...STARTED })}`;
const STARTED = { tool: "0", started_at: "", cuts: CUTS, ...HEAD };
const otherFilters = { ...HEAD, filters: { retailer: "y" } };

const leftNote = (pages: string) => [`an interrupted run left ${pages}; this run starts over`];
const endNote = ["LINES is cut or damaged; the pages of its last lines are read again"];
const beginningNote = ["LINES is cut or damaged at its beginning; what an interrupted run has read is read again"];

test.each<[string, number, Partial<StoreOptions>, ((text: string) => string) | undefined, number, string[]]>([
  ["goes on with many pages", 6, {}, undefined, 6, []],
  ["goes on with few pages", 1, {}, undefined, 1, []],
  ["goes on with many pages of another size", 6, { pageSize: 2 }, undefined, 6, []],
  ["starts over instead of few pages of another size", 5, { pageSize: 2 }, undefined, 0, leftNote("5 pages")],
  ["starts over instead of few pages of other filters", 5, { head: otherFilters }, undefined, 0, leftNote("5 pages")],
  ["starts over instead of one page without --resume", 1, { mode: "careful" }, undefined, 0, leftNote("one page")],
  ["starts over with --fresh", 6, { mode: "fresh" }, undefined, 0, []],
  ["goes on with what is before a cut line", 6, {}, withoutLastByte, 5, endNote],
  ["goes on with no page", 6, {}, withoutPages, 0, []],
  ["starts over instead of no page without --resume", 6, { mode: "careful" }, withoutPages, 0, []],
  ["starts over after a damaged first line", 6, {}, () => "{}\n", 0, beginningNote],
])("a run %s", async (_, count, options, damage, kept, expected) => {
  const { folder, paths, notes, left, failed, interrupted } = await setUp();
  const slices = SLICES.slice(0, count);
  await interrupted(...slices);
  expect({ left, notes }).toEqual({ left: [undefined], notes: [] });
  await writeFile(paths.lines, damage?.(await readFile(paths.lines, "utf8")) ?? (await readFile(paths.lines)));

  await failed(options, async (pages) => {
    expect({ pagesSize: pages.size(), rows: await rowsIn(pages, slices) }).toEqual({
      pagesSize: kept,
      rows: slices.slice(0, kept).map((slice) => `{"slice":"${slice}"}`),
    });
    expect(await readdir(folder)).toEqual(["lines", "pages"]);
  });

  expect({ notes, leftCount: left.length }).toEqual({ notes: expected, leftCount: kept === 0 ? 1 : 2 });
});

test.each<[string, Partial<StoreOptions>, (() => string) | undefined]>([
  ["not resumed: 6 pages of a", { mode: "careful" }, undefined],
  ["other service: 6 pages of a", { head: { ...HEAD, service: "b" } }, undefined],
  ["other filters: 6 pages of a", { head: otherFilters }, undefined],
  ["other version", {}, otherVersion],
])("many pages are neither used nor thrown away if they are of another set: %s", async (message, options, replaced) => {
  const { paths, notes, run, interrupted, contents } = await setUp();
  await interrupted(...SLICES);
  await writeFile(paths.lines, replaced?.() ?? (await readFile(paths.lines)));
  const before = await contents();
  await expect(run(options, () => expect.unreachable())).rejects.toThrow(message);
  expect({ contents: await contents(), notes }).toEqual({ contents: before, notes: [] });
});

test("pages of several runs are read in one, which knows when the first of them began", async () => {
  const { folder, run, interrupted } = await setUp();
  await interrupted("s1", "s2");
  await interrupted("s3");
  await run({ startedAt: "later" }, async ({ pages, resumedFrom }) => {
    expect(resumedFrom).toBe("at first");
    expect(await rowsIn(pages, SLICES)).toEqual(["s1", "s2", "s3"].map((slice) => `{"slice":"${slice}"}`));
  });
  expect(await readdir(folder)).toEqual([]);
});

test("a run whose folder was removed leaves no pages, and fails if it was done", async () => {
  const { folder, left, run, failed } = await setUp();
  const removed = async (pages: PageStore) => {
    await save(pages, "s1");
    await rm(folder, { recursive: true });
  };
  await expect(run({}, ({ pages }) => removed(pages))).rejects.toThrow(FileError);
  await mkdir(folder);
  await failed({}, removed);
  expect(left).toEqual([]);
});

test("nothing is left of a store whose second file cannot be created", async () => {
  const { folder, paths, run } = await setUp();
  paths.pages = join(folder, "missing", "pages");
  await expect(run({}, () => expect.unreachable())).rejects.toThrow(FileError);
  expect(await readdir(folder)).toEqual([]);
});

test("a run that leaves its pages learns that their last sync failed, and the next one still goes on with them", async () => {
  const { left, failed } = await setUp();
  await using handle = await open("/dev/null");
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "datasync");
  onTestFinished(() => sync.mockRestore());
  await failed({ mode: "careful" }, async (pages) => {
    await save(pages, "s1");
    sync.mockClear();
    sync.mockRejectedValueOnce(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
  });
  expect({ left, callCount: sync.mock.calls.length }).toEqual({ left: [expect.any(FileError)], callCount: 1 });
  await failed({}, async (pages) => expect(pages.size()).toBe(1));
});

test("a run without a page leaves nothing, and no run goes on with pages that the one before discarded", async () => {
  const { folder, left, failed } = await setUp();
  await failed({}, (pages) => pages.begin(CUTS));
  expect({ left, files: await readdir(folder) }).toEqual({ left: [], files: [] });
  await failed({}, async (pages) => {
    await save(pages, "s1");
    await save(pages, "s2");
    await pages.discard("s1");
  });
  await failed({}, async (pages) => expect(await rowsIn(pages, SLICES)).toEqual(['{"slice":"s2"}']));
});

test("a process that has lost its lock writes neither a page nor a line, and leaves the store to the one that has it", async () => {
  const { folder, run, takeLock, contents } = await setUp();
  await run({}, async ({ pages }) => {
    await save(pages, "s1");
    const before = await contents();
    await takeLock();
    await expect(save(pages, "s2")).rejects.toThrow(LockedError);
    await expect(pages.discard("s1")).rejects.toThrow(LockedError);
    expect(await contents()).toEqual(before);
  });
  expect(await readdir(folder)).toEqual(["lines", "pages"]);
});
