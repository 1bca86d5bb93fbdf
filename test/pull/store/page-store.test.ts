import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Extent, openStoredBytes, temporaryBytes } from "../../../src/files/stored-bytes.ts";
import { createPageStore, type PageLine, type StoredPage } from "../../../src/pull/store/page-store.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { openedStore, PAGE_FACTS } from "../../helpers/pulls.ts";

function opened(bytes = temporaryBytes(), { pages = new Map<string, StoredPage[]>() } = {}) {
  const saved: [slice: string, index: number][] = [];
  const record = async (line: PageLine) => void (line.kind === "page" && saved.push([line.slice, line.index]));
  const store = createPageStore(bytes, { pages, record });
  onTestFinished(() => bytes.close());
  const save = async (key: string, index: number, value: number) => {
    const rows = batchOf([`{"value":${value}}`]);
    await store.save(key, index, rows, { ...PAGE_FACTS, digest: hash("sha256", rows.lines()).slice(0, 32) });
    return store.pagesOf(key)[index] as StoredPage;
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

test("a page whose line cannot be written is not in the store", async () => {
  const store = openedStore({ record: () => Promise.reject(new Error("no line")) });
  await expect(store.save("a", 0, batchOf(["{}"]), PAGE_FACTS)).rejects.toThrow("no line");
  expect(store.size()).toBe(0);
});

test("a page whose bytes on disk were changed is not read by another process", async () => {
  const path = join(await temporaryFolder(), "pages");
  const { store, save } = opened(await openStoredBytes(path, 0));
  const [first, second] = [await save("a", 0, 1), await save("a", 1, 2)] as const;
  await writeFile(path, (await readFile(path, "latin1")).replace('"value":2', '"value":3'), "latin1");
  // In another process, no page is known to be sound.
  const pages = new Map([["a", [first, second].map((page) => ({ ...page, extent: { ...page.extent } }))]]);
  const other = opened(await openStoredBytes(path, second.extent.at + second.extent.length), { pages });
  expect(await other.contentOf("a")).toEqual(['{"value":1}', undefined]);
  expect(store.size()).toBe(2);
});

test("gives the room of each page away that it drops, and of no other", async () => {
  const freed: Extent[] = [];
  const { store, save } = opened({ ...temporaryBytes(), free: (extent) => void freed.push(extent) });
  const pages: (StoredPage | undefined)[] = [];
  for (const [key, index] of [
    ["a", 0],
    ["a", 1],
    ["b", 0],
    ["c", 0],
  ] as const) {
    pages.push(await save(key, index, index));
  }
  const [, again, other, last] = pages.map((page) => page?.extent);
  await save("a", 1, 5);
  expect(freed).toEqual([again]);
  await store.discard("b");
  expect(freed).toEqual([again, other]);
  store.keepOnly(new Set(["a"]), undefined);
  expect(freed).toEqual([again, other, last]);
  expect({ ofA: store.pagesOf("a").length, ofC: store.pagesOf("c").length, all: store.size() }).toEqual({
    ofA: 2,
    ofC: 0,
    all: 2,
  });
});

test("of a slice with a page of another version of the data, none stays", async () => {
  const store = openedStore();
  for (const [key, versions] of Object.entries({ a: ["1", "1"], b: ["1", "2"], c: ["1", undefined] })) {
    for (const [index, version] of versions.entries()) {
      const set = { ...PAGE_FACTS.set, ...(version !== undefined && { version }) };
      await store.save(key, index, batchOf(["{}"]), { ...PAGE_FACTS, set });
    }
  }
  expect(store.keepOnly(new Set(["a", "b", "c"]), "1")).toBe(4);
  expect(["a", "b", "c"].map((key) => store.pagesOf(key).length)).toEqual([2, 0, 0]);
});
