import { expect, test } from "vitest";
import { NetworkError, SetChangedError } from "../../src/contract/errors.ts";
import { type FakeRow, fakeRows, fakeService, texts } from "../helpers/fake-client.ts";
import { openedStore, pulled } from "../helpers/pulls.ts";

// A service that names no version of its data, whose rows change while they are read: at any page, or between an interrupted
// run and the one that goes on with its pages. Counts show what is added or removed; nothing but a page that is read a second
// time shows rows that were replaced under equal counts.

const CHANGES = ["all replaced", "a part replaced", "a day replaced", "swapped", "added", "removed"] as const;
type Change = (typeof CHANGES)[number];

const WALKERS = [1, 4, 16] as const;
const CATEGORIES = ["boots", "coats", "hats"];
const ROWS = CATEGORIES.flatMap((category) => fakeRows(50, "acme", category));

/** mulberry32 (public domain). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function changed(rows: readonly FakeRow[], change: Change, random: () => number): FakeRow[] {
  const at = Math.floor(random() * rows.length);
  const chosen = rows[at] as FakeRow;
  const replaced = (row: FakeRow): FakeRow => ({ ...row, product_id: `new-${row.product_id}` });
  switch (change) {
    case "all replaced":
      return rows.map(replaced);
    case "a part replaced":
      return rows.map((row) => (row.category === chosen.category ? replaced(row) : row));
    case "a day replaced":
      return rows.map((row) => (row.crawl_date === chosen.crawl_date ? replaced(row) : row));
    case "swapped":
      return [...rows.filter((row) => row !== chosen), { ...chosen, sku: "ZZZ", product_id: "swapped" }];
    case "added":
      return [...rows, { ...chosen, product_id: "added" }];
    case "removed":
      return rows.filter((row) => row !== chosen);
  }
}

/** One run of a seed: what was changed, and whether the output is one state of the service. */
async function play(seed: number, recheck?: number) {
  const random = dice(seed);
  const change = CHANGES[seed % CHANGES.length] as Change;
  const concurrency = WALKERS[Math.floor(random() * WALKERS.length)] as number;
  const kind = random() < 0.3 ? "stream" : "file";
  const isResumed = kind === "file" && random() < 0.3;
  const after = changed(ROWS, change, random);
  const service = fakeService(ROWS);
  const store = openedStore();
  const options = { store, concurrency, random, ...(recheck !== undefined && { recheck }) };
  const moment = 1 + Math.floor(random() * 18);
  let pages = 0;
  service.before = (request) => {
    pages += request === "coverage" ? 0 : 1;
    if (pages === moment) {
      if (isResumed) {
        throw new NetworkError("cut");
      }
      service.rows = after;
    }
  };
  let { rows, error, result } = await pulled(service, kind, options);
  if (error instanceof NetworkError) {
    service.rows = after;
    service.before = () => undefined;
    ({ rows, error, result } = await pulled(service, kind, options));
  }
  const read = [...rows].sort().join();
  const isOneState = [ROWS, after].some((state) => read === texts(state).sort().join());
  return { seed, change, kind, error, isOneState, rows: rows.length, counted: result?.rows };
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

async function playAll(recheck?: number, seeds = SEEDS) {
  const runs = [];
  for (const seed of seeds) {
    runs.push(await play(seed, recheck));
  }
  return runs;
}

test("counts never lie, and a replacement of everything is noticed", async () => {
  const runs = await playAll();
  const failed = runs.filter(({ error }) => error !== undefined);
  // Rows on stdout cannot be mended.
  expect(failed.filter(({ kind, error }) => kind === "file" || !(error instanceof SetChangedError))).toEqual([]);
  const ended = runs.filter(({ error }) => error === undefined);
  expect(ended.filter(({ rows, counted }) => rows !== counted)).toEqual([]);
  const mixed = ended.filter(({ isOneState }) => !isOneState);
  expect(mixed.filter(({ change }) => ["all replaced", "added", "removed"].includes(change))).toEqual([]);
});

test("with --recheck 100, no change of a part stays unnoticed either", async () => {
  const mixed = (await playAll(100, SEEDS.slice(0, 24))).filter(
    ({ error, isOneState }) => error === undefined && !isOneState,
  );
  expect(mixed).toEqual([]);
});
