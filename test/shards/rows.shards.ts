import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { loadRows } from "../../src/service/load/load-rows.ts";
import { StoreUnavailableError } from "../../src/service/store/store.ts";
import { openStore } from "../../src/service/store/writable-store.ts";
import { emptyDatabase, emptySchema } from "../helpers/databases.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { addressesOf, divideRows, runSql } from "../helpers/shards.ts";
import { load, testStore, walk } from "../service/store/stores.ts";

/** Rows of twelve retailers, in the order of the service. */
function rowsOf(title: string, count = 120): Product[] {
  return Array.from({ length: count }, (_, index) =>
    product({ sku: `sku-${String(index).padStart(4, "0")}`, retailer: `shop-${index % 12}`, title }),
  );
}

const textsOf = (rows: readonly Product[]) => rows.map((row) => JSON.stringify(row));

/** Rows on each server, counted there. */
async function counts(database: string, condition = "true"): Promise<number[]> {
  const tables = ["product_0", "product", "product"];
  return await Promise.all(
    addressesOf(database).map(async (address, server) => {
      const { rows } = await runSql(address, `SELECT count(*)::int FROM ${tables[server]} WHERE ${condition}`);
      return Number(rows[0].count);
    }),
  );
}

test("each server has the rows of some retailers, and a walk has all rows in order", async () => {
  const database = await emptyDatabase();
  const store = await testStore(database);
  await load(store, rowsOf("first"));
  const stored = await counts(database);
  expect(Math.min(...stored)).toBeGreaterThan(0);
  expect(stored.reduce((sum, count) => sum + count)).toBe(120);
  expect(await walk(store, 7)).toEqual(textsOf(rowsOf("first")));
});

test("a walk goes on when the rows are divided among servers, also from the offset of a cursor", async () => {
  const database = await emptySchema();
  // Nothing is listed in memory.
  const service = await startTestService({ database, rows: rowsOf("first"), listedRows: 0 });
  const first = await service.get("/v1/catalog?limit=50");
  const { next_cursor: cursor } = first.body.pagination;
  await divideRows(database);
  const rest = await service.get(`/v1/catalog?limit=500&cursor=${cursor}`);
  const changed = await service.get(`/v1/catalog?limit=500&start_date=2026-01-01&cursor=${cursor}`);
  expect([...first.body.data, ...rest.body.data]).toEqual(rowsOf("first"));
  expect(changed.body.data).toEqual(rest.body.data);
  expect(Math.min(...(await counts(database)))).toBeGreaterThan(0);

  // Ids go on behind those of before: none is given twice.
  await service.addRows(rowsOf("more").map((row) => ({ ...row, product_id: `${row.product_id} more` })));
  const { rows } = await runSql(database, "SELECT count(*)::int, count(DISTINCT id)::int AS ids FROM product");
  expect(rows).toEqual([{ count: 240, ids: 240 }]);
});

test("a change that one server committed and another did not is as if it had never begun", async () => {
  const database = await emptyDatabase();
  const store = await testStore(database);
  await load(store, rowsOf("first"));
  let halfCommitted = 0;
  let present = textsOf(rowsOf("first"));
  const [, ...shards] = addressesOf(database);
  for (const shard of shards) {
    const others = rowsOf(`after ${shards.indexOf(shard)}`);
    const replace = async () => {
      const lines = others.map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
      const source = { name: "rows.ndjson", stream: Readable.from(lines) };
      return await loadRows(store, source, { replacement: "same-ids" });
    };
    await runSql(shard, REFUSE_COMMITS);
    await expect(replace()).rejects.toThrow(StoreUnavailableError);
    await runSql(shard, "DROP TRIGGER refused ON product");
    const [version] = (await store.read((session) => session.query("SELECT version FROM data_version")))[0] ?? [];
    const ahead = await counts(database, `added > ${version} OR removed > ${version}`);
    halfCommitted += ahead.filter((count) => count > 0).length;
    expect(await walk(store)).toEqual(present);

    expect(await replace()).toMatchObject({ added: 120, removed: 120 });
    present = textsOf(others);
    expect(await walk(store)).toEqual(present);
    expect(await counts(database, "added > (SELECT max(added) FROM product)")).toEqual([0, 0, 0]);
  }
  // The servers commit in an order of their own. One of them is before the other.
  expect(halfCommitted).toBe(1);
});

test("no service uses a further server by itself", async () => {
  const [, shard = ""] = addressesOf(await emptyDatabase());
  await expect(openStore(shard)).rejects.toThrow(/^the database belongs to another program$/);
});

/** Lets a server fail when a change of its rows is committed. */
const REFUSE_COMMITS = `
  CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
  CREATE CONSTRAINT TRIGGER refused AFTER INSERT OR UPDATE ON product DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION refuse()`;
