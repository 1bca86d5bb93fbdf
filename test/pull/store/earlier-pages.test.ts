import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileError } from "../../../src/contract/errors.ts";
import { lockOutput } from "../../../src/files/lock.ts";
import { type OpenStore, openPageStore, type StoreOptions } from "../../../src/pull/store/open-store.ts";
import type { PageStore } from "../../../src/pull/store/page-store.ts";
import { lineOf, STORE_VERSION } from "../../../src/pull/store/store-lines.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

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
        refuse: ({ reason, found }) => new Error(`${reason}: ${found?.pages} pages of ${found?.head.service}`),
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
  /** A run that saves pages, one of each slice, and fails then. */
  const interrupted = (...slices: string[]) =>
    run({}, async ({ pages }) => {
      for (const slice of slices) {
        await save(pages, slice);
      }
      throw new Error("interrupted");
    }).catch((error: Error) => expect(error.message).toBe("interrupted"));
  return { folder, paths, notes, left, run, interrupted };
}

async function save(pages: PageStore, slice: string): Promise<void> {
  await pages.begin(CUTS);
  const coverage = { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null };
  const facts = { rows: 1, digest: "", cursor: null, set: { total: 1, coverage } };
  await pages.save(slice, 0, batchOf([`{"slice":"${slice}"}`]), facts);
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
  const { folder, paths, notes, left, run, interrupted } = await setUp();
  const slices = SLICES.slice(0, count);
  await interrupted(...slices);
  expect([left, notes]).toEqual([[undefined], []]);
  await writeFile(paths.lines, damage?.(await readFile(paths.lines, "utf8")) ?? (await readFile(paths.lines)));

  await run(options, async ({ pages }) => {
    expect([pages.size(), await rowsIn(pages, slices)]).toEqual([
      kept,
      slices.slice(0, kept).map((slice) => `{"slice":"${slice}"}`),
    ]);
    expect(await readdir(folder)).toEqual(["lines", "pages"]);
    throw new Error("interrupted again");
  }).catch((error: Error) => expect(error.message).toBe("interrupted again"));

  expect([notes, left.length]).toEqual([expected, kept === 0 ? 1 : 2]);
});

test.each<[string, Partial<StoreOptions>, (() => string) | undefined]>([
  ["not resumed: 6 pages of a", { mode: "careful" }, undefined],
  ["other service: 6 pages of a", { head: { ...HEAD, service: "b" } }, undefined],
  ["other filters: 6 pages of a", { head: otherFilters }, undefined],
  ["other version: undefined pages of undefined", {}, otherVersion],
])("many pages are neither used nor thrown away if they are of another set: %s", async (message, options, replaced) => {
  const { folder, paths, notes, run, interrupted } = await setUp();
  await interrupted(...SLICES);
  await writeFile(paths.lines, replaced?.() ?? (await readFile(paths.lines)));
  const files = () => Promise.all(["lines", "pages"].map((name) => readFile(join(folder, name), "utf8")));
  const before = await files();
  await expect(run(options, () => expect.unreachable())).rejects.toThrow(message);
  expect([await files(), notes]).toEqual([before, []]);
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
  const { folder, left, run } = await setUp();
  const removed = async ({ pages }: OpenStore) => {
    await save(pages, "s1");
    await rm(folder, { recursive: true });
  };
  await expect(run({}, removed)).rejects.toThrow(FileError);
  await mkdir(folder);
  const failed = async (store: OpenStore) => {
    await removed(store);
    throw new Error("interrupted");
  };
  await expect(run({}, failed)).rejects.toThrow("interrupted");
  expect(left).toEqual([]);
});
