import { expect, test } from "vitest";
import { DamagedDataError } from "../../../../src/service/store/store.ts";
import { products } from "../../../helpers/products.ts";
import { load, NO_DEADLINE, testStore } from "../stores.ts";

test.each([
  "UPDATE row_count SET rows = rows + 1",
  "UPDATE row_count SET day = day + 1",
  "DELETE FROM row_count",
  "DELETE FROM product WHERE sku = 'sku-0001'",
])("counts that differ from the rows are an error, and never a coverage: %s", async (damage) => {
  const store = await testStore();
  await load(store, products(3));
  const changes = await store.write(async (session) => {
    await session.query(damage);
    return await session.query("SELECT changes()");
  });
  expect(changes).toEqual([[1]]);
  await expect(store.snapshot(NO_DEADLINE)).rejects.toThrow(DamagedDataError);
});
