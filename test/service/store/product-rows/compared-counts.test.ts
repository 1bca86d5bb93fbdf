import { expect, test } from "vitest";
import { readVersion, removeRows } from "../../../../src/service/store/product-rows/versions.ts";
import { DamagedDataError, StoreTimeoutError } from "../../../../src/service/store/store.ts";
import type { WritableStore } from "../../../../src/service/store/writable-store.ts";
import { sharedDatabase } from "../../../helpers/databases.ts";
import { products } from "../../../helpers/products.ts";
import { load, NO_DEADLINE, testStore } from "../stores.ts";

const summary = async (store: WritableStore) =>
  (await (await store.snapshot(NO_DEADLINE)).select({}, null)).summary.matching_rows;

/** Changes one row or count behind the back of the store. */
async function damage(store: WritableStore, statement: string): Promise<void> {
  const changes = await store.write(async (session) => {
    await session.query(statement);
    return await session.query("SELECT changes()");
  });
  expect(changes).toEqual([[1]]);
}

test.each([
  "UPDATE row_count SET rows = rows + 1",
  "UPDATE row_count SET day = day + 1",
  "DELETE FROM row_count",
  "DELETE FROM product WHERE sku = 'sku-0001'",
])("counts that differ from the rows are an error, and never a coverage: %s", async (statement) => {
  const store = await testStore();
  await load(store, products(3));
  await damage(store, statement);
  await expect(store.snapshot(NO_DEADLINE)).rejects.toThrow(DamagedDataError);
});

test.each([
  "UPDATE row_count SET rows = rows + 1 WHERE combination = (SELECT id FROM combination WHERE category = 'hats')",
  "DELETE FROM row_count WHERE rows = -2",
  "DELETE FROM product WHERE sku = 'sku-0001' AND added = (SELECT version FROM data_version)",
  "UPDATE product SET removed = NULL WHERE id = (SELECT min(id) FROM product WHERE removed IS NOT NULL)",
])("the same of the counts that a change added to those that were compared: %s", async (statement) => {
  const store = await testStore();
  await load(store, [...products(2), ...products(3, { category: "coats" })]);
  expect(await summary(store)).toBe(5);
  await store.changeRows((session) => removeRows(session, { category: "lamps" }));
  await load(store, products(4, { category: "hats" }));
  await damage(store, statement);
  await expect(store.snapshot(NO_DEADLINE)).rejects.toThrow(DamagedDataError);
});

test("the same of the counts between a version that was compared and an earlier one", async () => {
  const store = await testStore();
  await load(store, products(3));
  const earlier = await store.read(readVersion);
  await load(store, products(4, { category: "hats" }));
  expect(await summary(store)).toBe(7);
  await damage(store, "UPDATE row_count SET rows = rows + 1 WHERE rows = 4");
  await expect(store.snapshotAt(earlier, NO_DEADLINE)).rejects.toThrow(DamagedDataError);
});

test("after a change, rows that were compared are not read again", async () => {
  const store = await testStore();
  await load(store, products(3));
  expect(await summary(store)).toBe(3);
  await damage(store, "UPDATE product SET day = day + 1 WHERE sku = 'sku-0001'");
  await load(store, products(4, { category: "hats" }));
  expect(await summary(store)).toBe(7);
});

test("counts agree after each kind of change, from any version to any other", async () => {
  const database = await sharedDatabase();
  const store = await testStore(database);
  const versions: [version: number, rows: number][] = [];
  const look = async (rows: number) => {
    versions.push([(await store.snapshot(NO_DEADLINE)).version, rows]);
    expect(await summary(store)).toBe(rows);
  };
  await load(store, products(3));
  await load(store, products(4, { category: "hats" }));
  await look(7);
  await store.changeRows((session) => removeRows(session, { category: "hats" }));
  await load(store, products(5, { category: "coats" }));
  await store.changeRows((session) => removeRows(session, { category: "coats" }));
  await look(3);
  await load(store, products(4, { category: "hats" }));
  await look(7);
  await store.changeRows((session) => removeRows(session, { category: "lamps" }));
  await look(4);
  for (const [first] of versions) {
    const other = await testStore(database);
    for (const version of [first, ...versions.map(([number]) => number)]) {
      const rows = versions.find(([number]) => number === version)?.[1];
      const snapshot = await other.snapshotAt(version, NO_DEADLINE);
      expect((await snapshot?.select({}, null))?.total).toBe(rows);
    }
  }
});

test("if the rows between two versions are deleted, all rows are compared", async () => {
  const store = await testStore();
  await load(store, [...products(2), ...products(3, { category: "coats" })]);
  expect(await summary(store)).toBe(5);
  const deleted = await store.changeRows(async (session) => {
    await removeRows(session, { category: "coats" });
    await session.script("DELETE FROM row_version WHERE version < (SELECT max(removed) FROM product)");
    await session.query("DELETE FROM product WHERE removed IS NOT NULL");
    return await session.query("SELECT changes()");
  });
  expect(deleted).toEqual([[3]]);
  expect(await summary(store)).toBe(2);
});

test("a comparison that takes longer than a request goes on, and the next request waits for its end", async () => {
  const store = await testStore();
  const [rows, tries] = [400_000, 100];
  await load(store, products(1));
  await store.write(async (session) => {
    await session.script(`
      INSERT INTO product (product_id, sku, retailer, combination, day, body, sum, added)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${rows})
      SELECT 'p' || n, 's' || n, retailer, combination, day, '', 0, added FROM number, product WHERE sku = 'sku-0000';
      UPDATE row_count SET rows = rows + ${rows}`);
  });
  const outcomes: unknown[] = [];
  while (outcomes.at(-1) !== rows + 1 && outcomes.length < tries) {
    const found = store.snapshot(AbortSignal.timeout(10)).then(
      async (snapshot) => (await snapshot.select({}, null)).total,
      (error) => error,
    );
    outcomes.push(await found);
  }
  expect([outcomes[0], outcomes.at(-1)]).toEqual([expect.any(StoreTimeoutError), rows + 1]);
  expect(outcomes.length, "requests end at their deadline").toBeGreaterThan(2);
});
