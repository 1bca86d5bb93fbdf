import { expect, test } from "vitest";
import { readColumnIndex } from "../../../../src/service/store/product-rows/column-index.ts";
import { createRowStage } from "../../../../src/service/store/product-rows/row-stage.ts";
import { countRows } from "../../../../src/service/store/product-rows/selection.ts";
import { product } from "../../../helpers/products.ts";
import { NO_DEADLINE, testStore, textsOf } from "../stores.ts";

test("an index stored in several parts is read back with every row of every combination", async () => {
  const store = await testStore();
  // More than one part of 65,536 rows, loaded in an order that is not the service's.
  const count = 66_000;
  const shared = product();
  const rows = Array.from({ length: count }, (_, index) => {
    const sku = String((index * 7919) % count).padStart(6, "0");
    const category = index % 4 === 0 ? "chairs" : "lamps";
    return { line: 0, product: { ...shared, sku, category, product_id: sku }, body: `{"sku":"${sku}"}` };
  });
  for (const some of [rows.slice(0, 100), rows.slice(100)]) {
    await store.write(async (session) => {
      const stage = await createRowStage(session, () => undefined);
      await stage.add(some);
      await stage.merge();
    });
  }
  const index = await store.read(readColumnIndex);
  const { ids, days, combinations, vocabulary } = index;
  const { corpusRows } = countRows(index, { lastId: Number.POSITIVE_INFINITY, place: 0 });
  expect([ids.length, new Set(ids).size, days.length, combinations.length]).toEqual([count, count, count, count]);
  expect(vocabulary.map(({ category }, index) => [category, corpusRows[index]])).toEqual([
    ["chairs", count / 4],
    ["lamps", (count * 3) / 4],
  ]);
  const selection = (await store.snapshot(NO_DEADLINE)).select({}, null);
  for (const offset of [0, 65_530, count - 10]) {
    const texts = await textsOf(store, selection.ids(offset, 10));
    expect(texts.map((text) => Number(JSON.parse(text).sku))).toEqual(
      Array.from({ length: 10 }, (_, index) => offset + index),
    );
  }
});
