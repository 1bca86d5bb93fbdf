import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openDuckDb } from "../../src/files/duckdb.ts";
import { filledIn } from "../../src/folder/ask/ask.ts";
import { priceIndexPath } from "../../src/folder/index/update-index.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { FIRST_DAY, syncedFolder } from "../helpers/synced-folder.ts";

const SECOND_DAY = "2026-01-02";

/** A product in two categories with a price in each, and one whose price trebles. */
const ROWS = [
  product({ crawl_date: FIRST_DAY, sku: "both", category: "lamps", selling_price: 20, mrp: 50 }),
  product({ crawl_date: FIRST_DAY, sku: "both", category: "chairs", selling_price: 30, mrp: 50 }),
  ...[10, 10, 10, 30].map((selling_price, index) =>
    product({ crawl_date: `2026-01-0${index + 1}`, sku: "trebled", category: "chairs", selling_price, mrp: 50 }),
  ),
];

/** The skus and prices of a script in the index alone. */
async function answerOf(script: string, folder: string): Promise<unknown[][]> {
  const { signal } = new AbortController();
  await using index = await openDuckDb({
    ...{ database: priceIndexPath(folder), readOnly: true, threads: 1, memory: 128 * 1024 ** 2, signal },
  });
  const reader = await index.connection.runAndReadAll(script);
  return reader.getRowObjectsJson().map(({ sku, selling_price }) => [sku, Number(selling_price)]);
}

test.each([
  [[], ["both", 20], ["trebled", 30]],
  [
    ["--category", "chairs", "--suspect-factor", "2"],
    ["both", 30],
    ["trebled", 10],
  ],
  [
    ["--end-date", SECOND_DAY, "--category", "chairs"],
    ["both", 30],
    ["trebled", 10],
  ],
])("what latest %j --show-sql prints gives the same answer in the index alone", async (flags, ...expected) => {
  const folder = await syncedFolder(ROWS);
  const { stdout } = await runInProcess(["latest", folder, ...flags, "-f", "ndjson"]);
  expect(recordsOf(stdout).map(({ sku, selling_price }) => [sku, selling_price])).toEqual(expected);
  const shown = await runInProcess(["latest", folder, ...flags, "--show-sql"]);
  expect(await answerOf(shown.stdout, folder)).toEqual(expected);
});

test.each([
  [
    "SELECT $limit -- at most $limit; isn't it?\nWHERE $limit > 0",
    "SELECT 3 -- at most $limit; isn't it?\nWHERE 3 > 0",
  ],
  ["SELECT '-- $limit', $limit", "SELECT '-- $limit', 3"],
  ["SELECT 'it''s', $limit, $other", "SELECT 'it''s', 3, $other"],
])("the parameters of %j are filled in outside texts and comments", (sql, expected) => {
  expect(filledIn(sql, { limit: 3 })).toBe(expected);
});

test("a printed question has no parameter left, not even in a comment", async () => {
  const folder = new URL("../../src/folder/questions/", import.meta.url);
  for (const name of await readdir(folder)) {
    const sql = await readFile(new URL(name, folder), "utf8");
    const names = [...sql.matchAll(/\$([a-z_]+)/g)].map(([, parameter = ""]) => [parameter, null]);
    const left = filledIn(sql, Object.fromEntries(names)).match(/\$[a-z_]+/g);
    expect({ name, left }).toEqual({ name, left: null });
  }
});
