import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const ROWS = [
  product({ sku: "old", crawl_date: "0000-01-01", selling_price: 20 }),
  product({ sku: "old", crawl_date: "0000-02-29", selling_price: 15 }),
  product({ sku: "new", crawl_date: "2026-01-15" }),
  product({ sku: "old", retailer: "bolt", crawl_date: "0000-01-01" }),
];

test.each<[string[], object[]]>([
  [["latest"], [{ crawl_date: "2026-01-15" }, { crawl_date: "0000-02-29" }, { crawl_date: "0000-01-01" }]],
  [["latest", "--gone", "--retailer", "acme"], [{ crawl_date: "0000-02-29", reference_days: 0, reason: "unknown" }]],
  [
    ["history", "old", "--retailer", "acme"],
    [
      { crawl_date: "0000-01-01", selling_price: 20, percent: null },
      { crawl_date: "0000-02-29", selling_price: 15, percent: -25 },
    ],
  ],
  [
    ["why", "bolt", "old"],
    [
      {
        crawl_date: "0000-01-01",
        file: "crawl_date=0000-01-01/part-0.parquet",
        product_id: "bolt/lamps/old/0000-01-01",
        present_since: "0000-01-01",
      },
    ],
  ],
  [
    ["diff", "--from", "0000-01-01", "--to", "0000-02-29", "--retailer", "acme"],
    [{ change: "changed", from_seen: "0000-01-01", to_seen: "0000-02-29" }],
  ],
  [["sql", "select min(crawl_date) as first from rows"], [{ first: "0000-01-01" }]],
  [["coverage", "--group-by", "brand"], [{ brand: "Brand", matching_rows: 4, earliest_date: "0000-01-01" }]],
])("%j has the rows of the year 0000", async (args, expected) => {
  const { code, stdout, stderr } = await runInProcess([...args, await syncedFolder(ROWS)]);
  expect({ code, stderr, records: recordsOf(stdout) }).toEqual({
    code: 0,
    stderr: "",
    records: expected.map((row) => expect.objectContaining(row)),
  });
});

test("the map of a coverage begins with the first day of the year 0000", async () => {
  const page = join(await temporaryFolder(), "coverage.html");
  await runInProcess(["coverage", await syncedFolder(ROWS), "--html", page]);
  expect(await readFile(page, "utf8")).toContain("<p>0000-01-01 to 2026-01-15; each cell is a day; a hatched cell ");
});
