import { describe, expect, test } from "vitest";
import { runCatalog } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** Rows with what real ones have: shared categories, several days, awkward titles, a number that must keep its digits. */
const ROWS = [
  product({ sku: "A-1", retailer: "nordwind", category: "lamps", crawl_date: "2026-01-01", title: 'Lamp, 12" =1+1' }),
  product({ sku: "A-1", retailer: "nordwind", category: "lamps", crawl_date: "2026-01-03", selling_price: 12.5 }),
  product({ sku: "B-2", retailer: "nordwind", category: "chairs", crawl_date: "2026-01-10", color: "red" }),
  product({
    sku: "B-2",
    retailer: "casa-luz",
    category: "chairs",
    crawl_date: "2026-01-05",
    title: "\u001b[31mstuhl\u202e",
  }),
  product({ sku: "C\t3", retailer: "casa-luz", department: "garden", category: "chairs", brand: "", title: "a\nb" }),
];

const TRANSCRIPTS = {
  "coverage-table": ["coverage", "-f", "table"],
  "coverage-markdown": ["coverage", "-f", "markdown", "--sort", "rows"],
  "coverage-csv": ["coverage", "-f", "csv", "--end-date", "2026-01-05"],
  "coverage-by-category": ["coverage", "-f", "table", "--group-by", "category"],
  "coverage-unknown-retailer": ["coverage", "--retailer", "nordwnd", "--date=2026-01-01"],
  "coverage-unknown-triple": ["coverage", "--rcd", "casa-luz:chairs:garden,nordwind:lamp:home"],
  "coverage-unknown-json": ["coverage", "--retailer", "nordwnd", "--error-format", "json"],
  "coverage-nothing": ["coverage", "-f", "table", "--date", "1999-01-01"],
  "sample-table": ["sample", "-f", "table", "--columns", "retailer,sku,title,selling_price,color"],
  "sample-tsv": ["sample", "-f", "tsv", "--columns", "sku,title,brand,color,selling_price"],
  "export-ndjson": ["export", "--retailer", "casa-luz"],
  "export-csv": ["export", "-f", "csv", "--columns", "sku,title,brand,color,selling_price,crawl_date"],
  "export-json": ["export", "-f", "json", "--columns", "sku,selling_price", "--max-rows", "2"],
  "export-dry-run": ["export", "--dry-run", "--max-rate", "1"],
  "unknown-flag": ["export", "--retailr", "nordwind"],
  "unknown-column": ["sample", "--columns", "sku,tilte"],
  "wrong-date": ["export", "--start-date", "2026-02-30"],
} as const;

describe("what a script sees of", () => {
  test.each(Object.entries(TRANSCRIPTS))("%s is as reviewed", async (name, args) => {
    const service = await startTestService({ rows: ROWS });
    const env = { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: service.key };
    const { code, stdout, stderr } = await runCatalog(args, { env });
    const settled = stderr.replaceAll(service.url, "http://service").replace(/req_[\w-]{24}/g, "req_0");
    const transcript = [`$ catalog ${args.join(" ")}`, stdout, `--- stderr\n${settled}--- exit code ${code}\n`].join(
      "\n",
    );
    await expect(transcript).toMatchFileSnapshot(`../transcripts/${name}.txt`);
  });
});
