import { expect, test } from "vitest";
import { readColumnIndex } from "../../../src/service/store/column-index.ts";
import { product } from "../../helpers/products.ts";
import { load, NO_DEADLINE, testStore } from "./stores.ts";

test("an index that is stored in several parts is one again, with every row of every combination", async () => {
  const store = await testStore();
  // More than one part of 65,536 rows, loaded in an order that is not the service's.
  const count = 66_000;
  const rows = Array.from({ length: count }, (_, index) =>
    product({ sku: String((index * 7919) % count).padStart(6, "0"), category: index % 4 === 0 ? "chairs" : "lamps" }),
  );
  await load(store, rows.slice(0, 100));
  await load(store, rows.slice(100));
  const { ids, days, combinations, corpusRows, vocabulary } = await store.read(readColumnIndex);
  expect([ids.length, new Set(ids).size, days.length, combinations.length]).toEqual([count, count, count, count]);
  expect(vocabulary.map(({ category }, index) => [category, corpusRows[index]])).toEqual([
    ["chairs", count / 4],
    ["lamps", (count * 3) / 4],
  ]);
  const selection = (await store.snapshot(NO_DEADLINE)).select({}, null);
  for (const offset of [0, 65_530, count - 10]) {
    const texts = await store.rows(selection.ids(offset, 10), NO_DEADLINE);
    expect(texts.map((text) => Number(JSON.parse(text).sku))).toEqual(
      Array.from({ length: 10 }, (_, index) => offset + index),
    );
  }
});
