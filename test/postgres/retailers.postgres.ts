import { expect, test } from "vitest";
import { combinationFilter } from "../../src/contract/filter-match.ts";
import { readPage, readSampledRows } from "../../src/service/store/product-rows/pages.ts";
import { countsOn, readCounts } from "../../src/service/store/product-rows/row-counts.ts";
import { removeRows } from "../../src/service/store/product-rows/versions.ts";
import { emptyDatabase, runSql } from "../helpers/databases.ts";
import { product, products } from "../helpers/products.ts";
import { load, NO_DEADLINE, spied, testStore } from "../service/store/stores.ts";

const ROWS = ["acme", "bolt", "chez"].flatMap((retailer) => products(2, { retailer }));

/** Statements that read the rows of all retailers (docs/scale.md). */
const OF_ALL_RETAILERS = {
  "a walk without a retailer":
    /WHERE added <= \?1 AND \(removed IS NULL OR removed > \?1\) AND day BETWEEN \?2 AND \?3 (AND \(sku|ORDER)/,
  "the join of a load by product_id": /JOIN product USING \(product_id\) WHERE removed IS NULL/,
  "counts of a version and of a publication": /FROM product\s+WHERE (added|removed) > \?/,
  "the deletion of rows that no version reads": /^DELETE FROM product WHERE removed <= \?$/,
};
const NAMES_RETAILERS = /\bretailer = (\?\d+|ANY \(|conflict\.retailer|wanted_retailer)|\(id, retailer\) IN/;

test("each statement on rows names their retailers, or is one of those that read the rows of all", async () => {
  const seen = new Map<string, string>();
  const store = await testStore();
  const spiedStore: typeof store = {
    ...store,
    prepareWrite: (work) => store.prepareWrite((session) => work(spied(session, seen))),
    changeRows: (work) => store.changeRows((session) => work(spied(session, seen))),
  };
  await load(spiedStore, ROWS);
  await load(spiedStore, [product({ title: "again" })], { retailer: "acme", day: "2026-01-15" });
  const snapshot = await store.snapshot(NO_DEADLINE);
  await store.read(async (session) => {
    for (const filters of [{}, { retailer: "bolt" }]) {
      const { rowSet } = await snapshot.select(filters, null);
      const { last } = await readPage(spied(session, seen), rowSet, { offset: 0 }, 1);
      await readPage(spied(session, seen), rowSet, { offset: 1, after: last }, 1);
      const counts = countsOn(
        rowSet.days,
        (await readCounts(spied(session, seen), snapshot.version)).filter(combinationFilter(filters)),
      );
      await readSampledRows(spied(session, seen), rowSet, counts, 1);
    }
  });
  await spiedStore.changeRows((session) => removeRows(session, { retailer: "bolt" }));

  const ofRows = [...seen.keys()].filter((sql) => /\b(FROM|JOIN|UPDATE) product\b/.test(sql));
  expect(ofRows.length).toBeGreaterThan(12);
  const listed = Object.values(OF_ALL_RETAILERS);
  expect(ofRows.filter((sql) => !NAMES_RETAILERS.test(sql) && !listed.some((known) => known.test(sql)))).toEqual([]);
  expect(listed.filter((known) => !ofRows.some((sql) => known.test(sql)))).toEqual([]);
});

test("the keys of the tables of rows have the retailer", async () => {
  const database = await emptyDatabase();
  await testStore(database);
  const { rows } = await runSql(
    database,
    `SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()
       AND tablename IN ('product', 'combination') AND indexdef LIKE 'CREATE UNIQUE%'`,
  );
  expect(rows.filter(({ indexdef }) => /\(.*\bretailer\b.*\)/.test(indexdef))).toEqual(rows);
  expect(rows).toHaveLength(4);
});
