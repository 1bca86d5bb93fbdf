import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openStoredBytes } from "../../../src/files/stored-bytes.ts";
import {
  isSameSet,
  lineOf,
  readStoreLines,
  STORE_VERSION,
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
  cuts: { page_size: 500, slice_pages: 4 },
};

function page(slice: string, index: number, at: number) {
  const coverage = { combinations: 1, matching_rows: 9, earliest_date: null, latest_date: null };
  const facts = { rows: 3, digest: "d", cursor: `after ${at}`, set: { total: 9, coverage } };
  return { kind: "page", slice, index, ...facts, extent: { at, length: 10 } } as const;
}

const LINES: readonly StoreLine[] = [
  head,
  page("a", 0, 0),
  page("b", 0, 10),
  page("a", 1, 20),
  page("c", 0, 30),
  page("b", 1, 40),
  page("b", 2, 50),
  page("b", 1, 60),
  page("c", 0, 70),
];

async function written(lines: readonly StoreLine[]): Promise<string> {
  const path = join(await temporaryFolder(), "rows.ndjson.partial.json");
  await writeFile(path, Buffer.concat(lines.map(lineOf)));
  return path;
}

async function read(path: string) {
  const found = await readStoreLines(path);
  return typeof found === "string" ? undefined : found;
}

test("the lines say which pages a store has of each slice", async () => {
  const path = await written(LINES);
  const stored = (...pages: ReturnType<typeof page>[]) =>
    pages.map(({ kind: _, slice: __, index: ___, ...page }) => page);
  expect(await read(path)).toEqual({
    head,
    pages: new Map([
      ["a", stored(page("a", 0, 0), page("a", 1, 20))],
      ["b", stored(page("b", 0, 10), page("b", 1, 60))],
      ["c", stored(page("c", 0, 70))],
    ]),
    length: (await readFile(path)).length,
    isDamaged: false,
  });
});

test("the pages of a slice that was dropped no longer count, and those after it do", async () => {
  const path = await written([...LINES, { kind: "drop", slice: "b" }, page("b", 0, 90), { kind: "drop", slice: "a" }]);
  const found = await read(path);
  expect([...(found?.pages ?? [])].map(([slice, pages]) => [slice, pages.map(({ extent }) => extent.at)])).toEqual([
    ["c", [70]],
    ["b", [90]],
  ]);
});

test("the lines of another version are told from none", async () => {
  expect(await readStoreLines(await written([{ ...head, version: 2 }]))).toBe("other version");
  expect(await readStoreLines(join(await temporaryFolder(), "none"))).toBeUndefined();
  expect(await readStoreLines(await written([]))).toBeUndefined();
});

test("a second first line ends what can be read", async () => {
  const found = await read(await written([head, page("a", 0, 0), head, page("a", 1, 10)]));
  expect({ isDamaged: found?.isDamaged, aCount: found?.pages.get("a")?.length }).toEqual({
    isDamaged: true,
    aCount: 1,
  });
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
  const lines = await openStoredBytes(path, length);
  await lines.append(lineOf(page("a", 0, 80)));
  await lines.close();
  const found = await read(path);
  expect({ isDamaged: found?.isDamaged, aCount: found?.pages.get("a")?.length }).toEqual({
    isDamaged: false,
    aCount: 1,
  });
});

test("sets are the same whatever the order of their filters and of the values of a list", () => {
  const days = { start_date: "2026-01-01", end_date: "2026-01-02" };
  expect([
    isSameSet({ retailer: ["a", "b"], ...days }, { ...days, retailer: ["b", "a"] }),
    isSameSet({ rcd: "a:b:c,d:e:f" }, { rcd: "d:e:f,a:b:c" }),
    isSameSet({ retailer: ["a", "b"] }, { retailer: ["a"] }),
    isSameSet({ retailer: ["ab"] }, { retailer: ["ba"] }),
    isSameSet({ start_date: "2026-01-01" }, { end_date: "2026-01-01" }),
    isSameSet({ rcd: "a:b:c", daysByRetailer: { a: days } }, { rcd: "a:b:c", daysByRetailer: { a: {} } }),
    isSameSet({ daysByRetailer: { a: days, b: {} } }, { daysByRetailer: { b: {}, a: days } }),
  ]).toEqual([true, true, false, false, false, false, true]);
});
