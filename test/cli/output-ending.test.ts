import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { type RunResult, runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** Exports one row, in a folder of the test's own. */
async function exportRow(...flags: string[]): Promise<RunResult & { cwd: string }> {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService({ rows: [product()] });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  return { cwd, ...(await runCatalog(["export", ...flags], { cwd, env })) };
}

describe("an output whose ending looks misspelt", () => {
  test.each([
    ["rows.cvs", "rows.csv", "-f csv"],
    ["rows.TVS", "rows.tsv", "-f tsv"],
    ["rows.jsn", "rows.json", "-f json"],
    ["rows.ndjsn", "rows.ndjson", "-f ndjson"],
    ["rows.parqet", "rows.parquet", "-f parquet"],
    ["rows.xlsx", "rows.csv", "-f csv"],
    ["./rows.cvs.gz", "./rows.csv.gz", "-f csv"],
    ["rows.csv.gzip", "rows.csv.gz", "--compress gzip"],
    ["rows.csv.zstd", "rows.csv.zst", "--compress zstd"],
  ])("%s is written as promised, with a warning", async (name, meant, flag) => {
    const { code, stdout, stderr } = await exportRow("-o", name);
    expect([code, stdout]).toEqual([EXIT.ok, ""]);
    expect(stderr).toMatch(/^warning: [^\n]+\n$/);
    expect(stderr).toContain(`did you mean "${meant}"?`);
    expect(stderr).toContain(`${flag} takes any name`);
  });

  test("holds the default format", async () => {
    const { cwd } = await exportRow("-o", "rows.cvs");
    expect(JSON.parse(await readFile(join(cwd, "rows.cvs"), "utf8"))).toMatchObject({ sku: expect.any(String) });
  });

  test.each([
    ["coverage", ["coverage", "--demo"]],
    ["sample", ["sample", "--demo"]],
    ["diff", ["diff", "--demo", "--from", "3d", "--to", "2d"]],
  ])("is warned of by %s, too, as JSON where that is asked for", async (_, args) => {
    const cwd = await temporaryFolder();
    const { stderr } = await runCatalog([...args, "--error-format", "json", "-o", "rows.cvs"], { cwd });
    expect(JSON.parse(stderr)).toEqual({ warning: expect.stringContaining('"rows.csv"') });
  });

  test.each([
    ["rows", []],
    ["rows.txt", []],
    ["rows.v2", []],
    ["rows.bak", []],
    [".cvs", []],
    ["rows.jsonl", []],
    ["rows.cvs", ["-f", "csv"]],
    ["rows.csv.gzip", ["--compress", "gzip", "-f", "csv"]],
    ["rows.cvs", ["--quiet"]],
    ["rows.cvs", ["--partition-by", "retailer"]],
  ])("is not seen in %s %j", async (name, flags) => {
    const { cwd, code, stderr } = await exportRow(...flags, "-o", name);
    expect([code, stderr, await readdir(cwd)]).toEqual([EXIT.ok, "", [name]]);
  });
});
