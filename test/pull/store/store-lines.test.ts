import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  openStoreLines,
  readStoreLines,
  STORE_VERSION,
  type StoreContent,
  type StoreLine,
} from "../../../src/pull/store/store-lines.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

const head: StoreLine = {
  kind: "head",
  version: STORE_VERSION,
  tool: "0",
  started_at: "2026-01-01T00:00:00.000Z",
  service: "http://127.0.0.1/",
  filters: { retailer: "a\u2028ü" },
  asked: { retailer: ["a\u2028ü"] },
};

function page(slice: string, at: number) {
  const coverage = { combinations: 1, matching_rows: 9, earliest_date: null, latest_date: null };
  const place = { rows: 3, digest: "d", cursor: `after ${at}`, facts: { total: 9, coverage } };
  return { kind: "page", slice, place, extent: { at, length: 10 } } as const;
}

const cuts = { page_size: 500, slice_pages: 4 };

const LINES: readonly StoreLine[] = [
  head,
  { kind: "plan", ...cuts },
  page("a", 0),
  page("b", 10),
  page("a", 20),
  page("c", 30),
  page("b", 40),
  { kind: "drop", slice: "b", pages: 1 },
  { kind: "drop", slice: "c", pages: 0 },
  page("b", 50),
];

async function written(lines: readonly StoreLine[]): Promise<string> {
  const path = join(await temporaryFolder(), "rows.ndjson.partial.json");
  const file = await openStoreLines(path);
  for (const line of lines) {
    await file.append(line);
  }
  await file.sync();
  await file.close();
  return path;
}

async function read(path: string) {
  return (await readStoreLines(path)) as StoreContent | undefined;
}

test("the lines say which pages a store has of each slice", async () => {
  const path = await written(LINES);
  const stored = (...pages: ReturnType<typeof page>[]) => pages.map(({ place, extent }) => ({ place, extent }));
  expect(await read(path)).toEqual({
    head,
    cuts,
    pages: new Map([
      ["a", stored(page("a", 0), page("a", 20))],
      ["b", stored(page("b", 10), page("b", 50))],
      ["c", []],
    ]),
    length: (await readFile(path)).length,
    isDamaged: false,
  });
});

test("the lines of another version are told from none", async () => {
  expect(await readStoreLines(await written([{ ...head, version: 2 }]))).toBe("other version");
  expect(await readStoreLines(join(await temporaryFolder(), "none"))).toBeUndefined();
});

test("lines are read up to the first damaged one or to the place where they were cut", async () => {
  const path = await written(LINES);
  const bytes = await readFile(path);
  const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([index]) => index + 1);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.option(fc.nat(7)), async (at, bit) => {
      const changed = bit === null ? bytes.subarray(0, at) : Buffer.from(bytes);
      if (bit !== null) {
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      }
      await writeFile(path, changed);
      const whole = ends.filter((end) => end <= at).at(-1) ?? 0;
      const found = await read(path);
      expect(found?.length ?? 0).toBe(whole);
      expect(found?.isDamaged ?? true).toBe(whole === 0 || whole < changed.length);
    }),
    { numRuns: 300 },
  );
});

test("lines go on after the last undamaged one", async () => {
  const path = await written(LINES);
  const { length = 0 } = (await read(path)) ?? {};
  await writeFile(path, "cut", { flag: "a" });
  const lines = await openStoreLines(path, length);
  await lines.append({ kind: "drop", slice: "a", pages: 1 });
  await lines.close();
  const found = await read(path);
  expect([found?.isDamaged, found?.pages.get("a")?.length]).toEqual([false, 1]);
});
