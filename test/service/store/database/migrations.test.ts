import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { listKeys } from "../../../../src/service/store/access/manage-keys.ts";
import type { Store } from "../../../../src/service/store/store.ts";
import { temporaryFolder } from "../../../helpers/cli.ts";
import { keyOf, NO_DEADLINE, testStore, walk } from "../stores.ts";

/**
 * `schema-2` is of version 0.1.0, without teams: two rows, seven keys in three teams, one incident. `schema-8` has three rows
 * and one that was replaced, and a key.
 */
type Fixture = "schema-2" | "schema-8";

/** Secret of its key `shop-3`, which exists nowhere else. */
const SECRET = "Df5pSsNFFR9KP4phknj0C8uXiIkXXy5bn10WsyYrQnM";

async function oldDatabase(fixture: Fixture = "schema-2"): Promise<string> {
  const path = join(await temporaryFolder(), "old.db");
  await writeFile(path, gunzipSync(await readFile(new URL(`databases/${fixture}.db.gz`, import.meta.url))), {
    mode: 0o600,
  });
  return path;
}

const ALL = ["catalog:sample", "catalog:read"];

test("migrating a database without teams keeps the rights of each key, and splits teams whose keys differ", async () => {
  const store = await testStore(await oldDatabase());

  const keys = (await listKeys(store)).map(({ name, team, scopes, retailers, revoked_at }) => [
    name,
    team,
    scopes,
    retailers,
    revoked_at === null ? "active" : "revoked",
  ]);

  expect(keys).toEqual([
    ["cron", "default", ALL, null, "active"],
    ["gone", "sales-4", ["catalog:read"], null, "revoked"],
    ["laptop", "default", ALL, null, "active"],
    ["other", "sales-2", ["catalog:read"], null, "active"],
    ["shop-1", "sales", ["catalog:sample"], ["nordwind"], "active"],
    ["shop-2", "sales-3", ALL, null, "active"],
    ["shop-3", "sales", ["catalog:sample"], ["nordwind"], "active"],
  ]);
});

test.each(["schema-2", "schema-8"] as const)(
  "a migrated database of %s has the tables of a new one",
  async (fixture) => {
    const [migrated, fresh] = [await testStore(await oldDatabase(fixture)), await testStore()];
    const tables = (await tablesOf(fresh)) as unknown[][];
    expect(tables.length).toBeGreaterThan(50);
    expect(await tablesOf(migrated)).toEqual(tables);
  },
);

/** Columns, indexes and references of each table. */
async function tablesOf(store: Store) {
  return await store.read((session) =>
    session.query(`
      SELECT list.name, wr, info.cid, info.name, info.type, "notnull", dflt_value, info.pk
      FROM pragma_table_list AS list JOIN pragma_table_info(list.name) AS info
      WHERE list.schema = 'main' AND list.name <> 'sqlite_sequence'
      UNION ALL SELECT list.name, seq, part.seqno, part.name, origin, "unique", partial, NULL
      FROM pragma_table_list AS list JOIN pragma_index_list(list.name) AS own JOIN pragma_index_info(own.name) AS part
      WHERE list.schema = 'main'
      UNION ALL SELECT list.name, "table", id, "from", "to", on_update, on_delete, NULL
      FROM pragma_table_list AS list JOIN pragma_foreign_key_list(list.name) WHERE list.schema = 'main'
      ORDER BY 1, 2, 3, 4, 5`),
  );
}

test("migrating a database without teams keeps its secrets, rows and incidents", async () => {
  const store = await testStore(await oldDatabase());

  expect(await keyOf(store, SECRET)).toMatchObject({ name: "shop-3", revoked_at: null });
  expect(await walk(store)).toEqual([
    expect.stringContaining('"selling_price":19.90'),
    expect.stringContaining('"sku":"B-2"'),
  ]);
  expect(await store.incidents("")).toMatchObject([{ title: "Slow", resolved_at: null }]);
});

test("migrating a database with teams keeps its teams, keys and the rows that were not removed", async () => {
  const path = await oldDatabase("schema-8");
  const store = await testStore(path);

  expect(await listKeys(store)).toMatchObject([{ name: "laptop", team: "sales", retailers: ["shop-00"] }]);
  expect((await walk(store)).map((text) => JSON.parse(text).selling_price)).toEqual([15, 17, 16.5]);
  const { combinations } = await store.snapshot(NO_DEADLINE);
  expect(combinations(null)).toHaveLength(3);
});

test("two processes that open an old database at the same time migrate it once", async () => {
  const path = await oldDatabase();

  const [one, two] = await Promise.all([testStore(path), testStore(path)]);

  expect(await listKeys(one)).toHaveLength(7);
  expect(await listKeys(two)).toEqual(await listKeys(one));
});
