import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { COMBINATION, coverageBody, META } from "../helpers/envelopes.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { askParquet } from "../helpers/parquet-files.ts";
import { product, products } from "../helpers/products.ts";
import { startRewritingProxy } from "../helpers/rewriting-proxy.ts";
import { sharedService } from "../helpers/service.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const ROWS = [
  ...products(4, { crawl_date: "2026-01-01" }),
  ...products(2, { crawl_date: "2026-01-04" }),
  product({ retailer: "zeta", category: "sofas", crawl_date: "2026-01-02" }),
];

const shared = sharedService({ rows: ROWS });

async function coverage(args: readonly string[], cwd?: string) {
  return await runInProcess(["coverage", ...args], { service: await shared(), ...(cwd !== undefined && { cwd }) });
}

test("Parquet has days as dates and counts as integers", async () => {
  const folder = await temporaryFolder();
  await coverage(["--group-by", "retailer", "--retailer", "zeta", "-o", "./zeta.parquet"], folder);
  const types = "SELECT retailer, typeof(matching_rows) AS rows, typeof(earliest_date) AS day FROM read_parquet(FILE)";
  expect(await askParquet(join(folder, "zeta.parquet"), types)).toEqual([
    { retailer: "zeta", rows: "BIGINT", day: "DATE" },
  ]);
});

test("--chart and a page of a service take one request", async () => {
  const page = ["--html", "./page.html"];
  const { stdout, stderr } = await coverage(["--chart", ...page, "-v"], await temporaryFolder());
  expect(stdout).toContain("█");
  expect(stderr.match(/GET \/v1\/coverage/g)).toHaveLength(1);
});

test("--chart of a folder draws crawls over time as lines", async () => {
  const { stdout } = await runInProcess(["coverage", await syncedFolder(ROWS), "--chart", "--group-by", "retailer"]);
  expect(stdout).toBe(`retailer  rows
────────  ────  ────────────────────────────────────────
acme         6  ████████████████████████████████████████
zeta         1  ██████▋

retailer  2026-01-01 to 2026-01-04
────────  ────────────────────────
acme      ██····▒▒
zeta      ··██····
each mark is 1 day: · no rows, ░▒▓█ rows a day against the retailer's own maximum
`);
});

test("a table that --limit cuts has no caption, which would not be true of the total", async () => {
  const folder = await syncedFolder([...ROWS, product({ category: "sofas", crawl_date: "2026-01-01" })]);
  const { stdout } = await runInProcess(["coverage", folder, "-f", "table", "--sort", "first", "-n", "2"]);
  const [heading, ...lines] = stdout.trimEnd().split("\n");
  expect(heading).toMatch(/^retailer +department +category +rows +last day +days old +first day +range$/);
  expect(lines.at(-1)).toMatch(/ 8 +2026-01-04 .* 2026-01-01 /);
});

test("--chart says how many rows --limit leaves out", async () => {
  const args = ["coverage", await syncedFolder(ROWS), "--chart", "--group-by", "retailer", "-n", "1"];
  const { stderr } = await runInProcess(args, { columns: 200 });
  expect(stderr).toContain("the first 1 of 2; omit --limit to get all rows");
});

test("--chart sends no further request if nothing matches", async () => {
  const { code, stdout } = await coverage(["--chart", "--date", "1999-01-01"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "nothing matches the filters\n" });
});

test("--html writes a single page with every combination", async () => {
  const folder = await temporaryFolder();
  const { code, stdout } = await coverage(["--html", "./page.html"], folder);
  expect({ code, stdout, files: await readdir(folder) }).toEqual({ code: 0, stdout: "", files: ["page.html"] });
  const page = await readFile(join(folder, "page.html"), "utf8");
  expect(page.match(/<tr data-name.*?<\/tr>/g)?.map((line) => line.replace(/<[^>]+>/g, " ").trim())).toEqual([
    expect.stringMatching(/^home +sofas +1 +2026-01-02 +[\d,]+$/),
    expect.stringMatching(/^home +lamps +6 +2026-01-01 to 2026-01-04 +[\d,]+$/),
  ]);
  expect(page).not.toMatch(/(src|href)="(?!data:|#)/);
});

test("--html is written beside what else is asked for, which the list flags are for", async () => {
  const folder = await temporaryFolder();
  const args = ["--html", "./page.html", "-o", "./rows.csv", "--group-by", "retailer", "--sort", "rows", "-n", "1"];
  expect(await coverage(args, folder)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await readFile(join(folder, "rows.csv"), "utf8")).toMatch(/^retailer,[^\n]+\nacme,[^\n]+\n$/);
  const alone = await coverage(["--html", "./alone.html"], folder);
  expect({ code: alone.code, contentCount: (await readFile(join(folder, "alone.html"), "utf8")).length }).toEqual({
    code: 0,
    contentCount: (await readFile(join(folder, "page.html"), "utf8")).length,
  });
});

test.each([
  [["--chart", "-f", "csv"], "--chart is a view for people; it cannot be combined with csv"],
  [["--html", "./page.html", "--group-by", "retailer"], "--group-by is for a list; the page has every combination"],
  [["--html", "page.csv", "-o", "./page.csv"], '"page.csv" is already the destination of the other output'],
  [["--html", "-", "-f", "csv"], '"-" is already the destination of the other output'],
])("refuses %j", async (args, message) => {
  const { code, stdout, stderr } = await runInProcess(["coverage", "--demo", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test("a group without matching rows has no days: those of its combinations mean nothing", async () => {
  const { url, key } = await shared();
  const other = { ...COMBINATION, retailer: "zeta", rcd: "zeta:lamps:home", matching_rows: 0 };
  const meta = { ...META, coverage: { ...META.coverage, combinations: 2, corpus_rows: 4 } };
  const rewrite = ({ target }: { target: string }) =>
    target.includes("_date=") ? {} : { text: coverageBody([COMBINATION, other], meta) };
  const env = { CATALOG_BASE_URL: await startRewritingProxy(url, rewrite, onTestFinished), CATALOG_API_KEY: key };
  const cwd = await temporaryFolder();
  const { stdout } = await runInProcess(["coverage", "--group-by", "retailer", "-f", "csv"], { env });
  await runInProcess(["coverage", "--html", "./page.html"], { env, cwd });
  expect(stdout).toContain("\nzeta,1,2,0,,,");
  expect(await readFile(join(cwd, "page.html"), "utf8")).toContain('data-name="zeta" data-rows="0" data-last=""');
});
