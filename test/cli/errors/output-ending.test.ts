import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../../src/contract/errors.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { afterAllTests } from "../../helpers/endings.ts";
import { type InProcessResult, runInProcess } from "../../helpers/in-process.ts";
import { product } from "../../helpers/products.ts";
import { startTestService, type TestService } from "../../helpers/service.ts";

const onEnd = afterAllTests();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ rows: [product()], rateLimit: 1_000, onEnd });
});

/** Runs a command on one row, into a folder of the test's own. */
async function writeRow(command: string, name: string, ...flags: string[]): Promise<InProcessResult & { cwd: string }> {
  const cwd = await temporaryFolder();
  const args = [...command.split(" "), ...flags, "-o", join(cwd, name)];
  return { cwd, ...(await runInProcess(args, { service })) };
}

describe("an output whose ending names another format", () => {
  test.each([
    ["export", "rows.cvs", "rows.csv"],
    ["export", "rows.TVS", "rows.tsv"],
    ["export", "rows.jsn", "rows.json"],
    ["export", "rows.ndjsn", "rows.ndjson"],
    ["export", "rows.parqet", "rows.parquet"],
    ["export", "rows.xls", "rows.xlsx"],
    ["export", "rows.cvs.gz", "rows.csv.gz"],
    ["coverage", "rows.cvs", "rows.csv"],
    ["sample", "rows.cvs", "rows.csv"],
    ["diff --from 3d --to 2d", "rows.cvs", "rows.csv"],
    ["export -f csv", "rows.xlsx", "rows.csv"],
    ["export --format tsv", "rows.CSV.gz", "rows.tsv.gz"],
    ["export -f parquet", "rows.json", "rows.parquet"],
    ["export --compress gzip", "rows.csv", "rows.csv.gz"],
    ["export -f ndjson --compress gzip", "rows.jsonl", "rows.jsonl.gz"],
    ["sample -f csv", "rows.parquet", "rows.csv"],
    ["sample -f table", "rows.csv", "rows.txt"],
    ["coverage -f csv", "rows.md", "rows.csv"],
    ["diff --from 3d --to 2d -f json", "rows.csv", "rows.json"],
  ])("%s -o %s is refused, and %s is suggested", async (command, name, meant) => {
    const { cwd, code, stdout, stderr } = await writeRow(command, name);
    expect({ code, stdout, files: await readdir(cwd) }).toEqual({ code: EXIT.usage, stdout: "", files: [] });
    expect(stderr).toContain(`\n  catalog ${command} -o ${join(cwd, meant)}\n`);
  });

  test.each([
    ["export", "rows.md"],
    ["export", "rows.csv.zip"],
    ["export", "rows.csv.gzip"],
    ["export -f csv", "rows.xls"],
    ["sample", "rows.ods"],
    ["export", "rows.html"],
    ["sample", "rows.avro"],
    ["coverage", "rows.html"],
  ])("%s -o %s is refused, and the formats of the command are listed", async (command, name) => {
    const { cwd, code, stderr } = await writeRow(command, name);
    expect({ code, files: await readdir(cwd) }).toEqual({ code: EXIT.usage, files: [] });
    expect(stderr).toMatch(/this command does not write .*; the formats are .*ndjson/);
  });

  test.each([
    ["-f csv", "rows.xlsx", '"rows.xlsx" would contain csv: name the file "rows.csv", or leave out --format csv.'],
    [
      "--compress gzip",
      "rows.csv",
      '"rows.csv" would be compressed: name the file "rows.csv.gz", or leave out --compress gzip.',
    ],
  ])("both solutions are named for %s -o %s", async (flags, name, message) => {
    const { code, stderr } = await runInProcess(["export", ...flags.split(" "), "-o", name], { service });
    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({ code: EXIT.usage, stderr: `error: ${message}` });
  });

  test("a name is not offered without the flag for a format that the command does not write", async () => {
    const { code, stderr } = await runInProcess(["service", "teams", "list", "-f", "csv", "-o", "x.parquet"]);
    const message = '"x.parquet" would contain csv: name the file "x.csv".';
    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({ code: EXIT.usage, stderr: `error: ${message}` });
  });

  test.each([
    ["rows", []],
    ["rows.txt", []],
    ["rows.dat", []],
    ["rows.v2", []],
    ["rows.2026-11-20", []],
    ["rows.bak", []],
    [".cvs", []],
    ["rows.jsonl", []],
    ["rows.cvs", ["-f", "csv"]],
    ["rows.csv.gzip", ["--compress", "gzip", "-f", "csv"]],
    ["rows.txt", ["-f", "csv"]],
    ["rows.csv.gz", ["--compress", "gzip", "-f", "csv"]],
    ["rows.tab", ["-f", "tsv"]],
    ["rows.2026", ["--compress", "gzip"]],
    ["rows.xls", ["--partition-by", "retailer"]],
    ["rows.csv", ["--partition-by", "retailer", "-f", "ndjson"]],
  ])("is not seen in %s %j", async (name, flags) => {
    const { cwd, code, stderr } = await writeRow("export", name, ...flags);
    expect({ code, stderr, files: await readdir(cwd) }).toEqual({ code: EXIT.ok, stderr: "", files: [name] });
  });

  test("an ending without a meaning gives the default format", async () => {
    const { cwd } = await writeRow("export", "rows.txt");
    expect(JSON.parse(await readFile(join(cwd, "rows.txt"), "utf8"))).toMatchObject({ sku: expect.any(String) });
  });
});
