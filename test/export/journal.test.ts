import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JOURNAL_VERSION, type JournalEntry, openJournal, readJournal } from "../../src/export/journal.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const head: JournalEntry = {
  kind: "head",
  version: JOURNAL_VERSION,
  tool: "0",
  started_at: "2026-01-01T00:00:00.000Z",
  service: "http://127.0.0.1/",
  filters: { retailer: "a\u2028ü" },
  format: "ndjson",
  columns: null,
  compression: null,
  page_size: 500,
  max_rows: null,
};

function page(slice: string, at: number): JournalEntry {
  const coverage = { combinations: 1, matching_rows: 9, earliest_date: null, latest_date: null };
  const place = { rows: 3, digest: "d", cursor: `after ${at}`, facts: { total: 9, coverage } };
  return { kind: "page", slice, place, extent: { at, length: 10 } };
}

const slice = (key: string, bytes: number): JournalEntry => ({ kind: "slice", key, rows: 3, bytes, crc: 1 });

async function written(entries: readonly JournalEntry[]): Promise<string> {
  const path = join(await temporaryFolder(), "rows.ndjson.partial.json");
  const journal = await openJournal(path);
  for (const entry of entries) {
    await journal.append(entry);
  }
  await journal.sync();
  await journal.close();
  return path;
}

const ENTRIES = [
  head,
  { kind: "plan", slice_pages: 4 },
  page("a", 0),
  page("b", 10),
  slice("a", 30),
  page("b", 20),
] as const;

test("a journal lists the content of the output and of the spool", async () => {
  const path = await written(ENTRIES);
  const { kind: _, ...a } = slice("a", 30);
  expect(await readJournal(path)).toEqual({
    head,
    slicePages: 4,
    slices: [a],
    pages: new Map([["b", [page("b", 10), page("b", 20)].map((entry) => expect.objectContaining(extentOf(entry)))]]),
    length: (await readFile(path)).length,
    isDamaged: false,
  });
});

function extentOf(entry: JournalEntry): object {
  return entry.kind === "page" ? { extent: entry.extent, place: entry.place } : {};
}

test("removed slices and dropped pages are not listed", async () => {
  const path = await written([
    ...ENTRIES,
    slice("b", 60),
    { kind: "rewind", slices: 1 },
    page("c", 0),
    page("d", 10),
    { kind: "drop", slice: "c" },
  ]);
  const journal = await readJournal(path);
  expect([journal?.slices.map(({ key }) => key), [...(journal?.pages.keys() ?? [])]]).toEqual([["a"], ["d"]]);
});

test("a journal is read up to its first damaged line or to the place where it was cut", async () => {
  const path = await written(ENTRIES);
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
      const found = await readJournal(path);
      expect(found?.length ?? 0).toBe(whole);
      expect(found?.isDamaged ?? true).toBe(whole === 0 || whole < changed.length);
    }),
    { numRuns: 300 },
  );
});

test("a journal is continued after its last undamaged line", async () => {
  const path = await written(ENTRIES);
  const { length = 0 } = (await readJournal(path)) ?? {};
  await writeFile(path, "cut", { flag: "a" });
  const journal = await openJournal(path, length);
  await journal.append(slice("b", 60));
  await journal.close();
  expect(await readJournal(path)).toMatchObject({ isDamaged: false, slices: [{ key: "a" }, { key: "b" }] });
});
