import { hash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { temporaryBytes } from "../../../src/files/stored-bytes.ts";
import { createPageStore, type PageFacts, type PageLine, type StoredPage } from "../../../src/pull/store/page-store.ts";
import { batchOf } from "../../../src/rows/scan.ts";

function opened() {
  const saved: [slice: string, index: number][] = [];
  const record = async (line: PageLine) => void (line.kind === "page" && saved.push([line.slice, line.index]));
  const store = createPageStore(temporaryBytes(true), { keeps: true, record });
  onTestFinished(() => store.close());
  const save = (key: string, index: number, value: number) => {
    const rows = batchOf([`{"value":${value}}`]);
    const coverage = { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null };
    const facts: PageFacts = {
      rows: 1,
      digest: hash("sha256", rows.lines()).slice(0, 32),
      cursor: null,
      set: { total: 1, coverage },
    };
    return store.save(key, index, rows, facts);
  };
  const contentOf = (key: string) =>
    Promise.all(store.pagesOf(key).map(async (page) => (await store.read(page))?.texts().join()));
  return { store, saved, save, contentOf };
}

test("a page that is saved again takes the later ones of its slice with it: none is kept while an earlier one is missing", async () => {
  const { saved, save, contentOf } = opened();
  for (const [index, value] of [1, 2, 3].entries()) {
    await save("a", index, value);
    await save("b", index, 10 * value);
  }
  await save("a", 1, 4);
  expect([await contentOf("a"), await contentOf("b")]).toEqual([
    ['{"value":1}', '{"value":4}'],
    ['{"value":10}', '{"value":20}', '{"value":30}'],
  ]);
  expect(saved.at(-1)).toEqual(["a", 1]);
});

test("a page is not saved while an earlier one of its slice is missing", async () => {
  const { save, contentOf } = opened();
  expect([await save("a", 1, 2), await contentOf("a")]).toEqual([undefined, []]);
});

test("a page whose line cannot be written is not in the store", async () => {
  const record = () => Promise.reject(new Error("no line"));
  const store = createPageStore(temporaryBytes(true), { keeps: true, record });
  onTestFinished(() => store.close());
  const coverage = { combinations: 1, matching_rows: 1, earliest_date: null, latest_date: null };
  const facts: PageFacts = { rows: 1, digest: "", cursor: null, set: { total: 1, coverage } };
  await expect(store.save("a", 0, batchOf(["{}"]), facts)).rejects.toThrow("no line");
  expect(store.size()).toBe(0);
});

test("a page whose bytes are not those that were saved is not read", async () => {
  const { store, save } = opened();
  const page = (await save("a", 0, 1)) as StoredPage;
  await save("a", 1, 2);
  const { at, length } = page.extent;
  expect(await store.read({ ...page, extent: { at: at + length, length } })).toBeUndefined();
});
