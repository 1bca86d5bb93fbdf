import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { COMBINATION, coverageBody, META } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** More than any disk holds. */
const ROWS = 20_000_000_000;

async function exportOfTooMuch(...flags: string[]) {
  const counts = { matching_rows: ROWS, corpus_rows: ROWS };
  const meta = { ...META, coverage: { ...META.coverage, ...counts } };
  const server = await startFaultServer(() => answer({ body: coverageBody([{ ...COMBINATION, ...counts }], meta) }));
  const cwd = await temporaryFolder();
  const { code, stderr } = await runInProcess(["export", "--retries", "0", ...flags], { cwd, service: server });
  return { code, stderr: stderr.replace(/\s+/g, " "), requests: server.requests.length, left: await readdir(cwd) };
}

test.each([
  ["rows.ndjson", "22 TB"],
  ["rows.csv", "18 TB"],
  ["rows.csv.gz", "13 TB"],
])("an export to %s that the disk has no room for is refused before the first page", async (name, size) => {
  const { code, stderr, requests, left } = await exportOfTooMuch("-o", `./${name}`);
  expect({ code, requests, left }).toEqual({ code: EXIT.failure, requests: 1, left: [] });
  expect(stderr).toMatch(new RegExp(`${name}: the export needs about ${size} for .*, and the disk has .* free`));
});

test("an export to partitions needs room for its rows once more, to sort them", async () => {
  const { code, stderr, requests } = await exportOfTooMuch(
    "-o",
    "./rows",
    "-f",
    "ndjson",
    "--partition-by",
    "retailer",
  );
  expect({ code, requests }).toEqual({ code: EXIT.failure, requests: 1 });
  expect(stderr).toContain("rows: the export needs about 34 TB");
});

test("an export of a few of the rows, or to stdout, is not refused for its room", async () => {
  expect((await exportOfTooMuch("-o", "./rows.csv", "--max-rows", "10")).requests).toBeGreaterThan(1);
  expect((await exportOfTooMuch()).requests).toBeGreaterThan(1);
});

test("--dry-run says the room that an export needs on disk", async () => {
  const service = await startTestService({ rows: products(100) });
  const bytes = async (...flags: string[]) => {
    const { stdout } = await runInProcess(["export", "--dry-run", "-f", "json", ...flags], { service });
    return (JSON.parse(stdout) as { bytes: number }).bytes;
  };
  expect([await bytes(), await bytes("-o", "rows.json"), await bytes("-o", "rows.json", "--max-rows", "10")]).toEqual([
    56_000, 112_000, 11_200,
  ]);
});

test("a disk that is full leaves a store: --resume goes on, and asks for no page again", async () => {
  const rows = Array.from({ length: 300 }, (_, index) => product({ sku: `sku-${index}`, title: "x".repeat(1_000) }));
  const service = await startInterruptibleService({ rows });
  const whole = await interruptible("rows.ndjson", ["--page-size", "20"], service);
  expect((await whole.run()).code).toBe(EXIT.ok);
  const expected = await readFile(join(whole.cwd, "rows.ndjson"));
  const cut = await interruptible("rows.ndjson", ["--page-size", "20", "--concurrency", "1"], service);
  // As on a full disk, writes fail: here beyond a size of 200 blocks of a file.
  const command = ["-c", 'ulimit -f 200; exec "$0" "$@"', process.execPath, CATALOG, "export"];
  const env = { ...bareEnvironment(), ...service.env };
  const flags = ["-o", "rows.ndjson", "--page-size", "20", "--concurrency", "1"];
  const failed = await promisify(execFile)("/bin/sh", [...command, ...flags], { env, cwd: cut.cwd }).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(failed).toMatchObject({ code: EXIT.failure, stderr: expect.stringContaining("--resume to continue") });
  const before = cut.pages();
  expect(before).toBeGreaterThan(2);
  const { code, stderr } = await cut.run("--resume");
  expect({ code, stderr, equals: (await readFile(join(cut.cwd, "rows.ndjson"))).equals(expected) }).toEqual({
    code: EXIT.ok,
    stderr: "",
    equals: true,
  });
  // The page that did not fit was asked for, and is asked for again.
  expect({ pages: cut.pages(), repeats: cut.repeats() - whole.repeats() }).toEqual({
    pages: whole.pages(),
    repeats: expect.toSatisfy((n) => n <= 4),
  });
});
