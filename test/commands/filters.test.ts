import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { oneRowEach, product } from "../helpers/products.ts";
import { startRewritingProxy } from "../helpers/rewriting-proxy.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

const ROWS = oneRowEach(
  "acme:lamps:home",
  "acme:shoes:clothing",
  "bolt:lamps:home",
  "bolt:drills:tools",
  "casa:chairs:home",
);

const onEnd = afterAllTests();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ rows: ROWS, rateLimit: 1_000, onEnd });
});

async function rcdsOf(...flags: string[]): Promise<unknown[]> {
  const { code, stdout, stderr } = await runInProcess(["coverage", "-f", "ndjson", ...flags], { service });
  expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
  return recordsOf(stdout).map(({ rcd }) => rcd);
}

describe("several values of a filter", () => {
  test.each([
    [
      ["--retailer", "acme", "--retailer", "casa"],
      ["acme:shoes:clothing", "acme:lamps:home", "casa:chairs:home"],
    ],
    [["--retailer=acme,casa"], ["acme:shoes:clothing", "acme:lamps:home", "casa:chairs:home"]],
    [
      ["--retailer", "acme, casa,acme"],
      ["acme:shoes:clothing", "acme:lamps:home", "casa:chairs:home"],
    ],
    [
      ["--category", "lamps,drills"],
      ["acme:lamps:home", "bolt:lamps:home", "bolt:drills:tools"],
    ],
    [
      ["--department", "tools", "--department", "clothing"],
      ["acme:shoes:clothing", "bolt:drills:tools"],
    ],
    [
      ["--retailer", "acme,bolt", "--category", "shoes,drills"],
      ["acme:shoes:clothing", "bolt:drills:tools"],
    ],
    [
      ["--retailer", "bolt", "--category", "lamps,drills"],
      ["bolt:lamps:home", "bolt:drills:tools"],
    ],
    [
      ["--rcd", "acme:lamps:home", "--rcd", "casa:chairs:home"],
      ["acme:lamps:home", "casa:chairs:home"],
    ],
  ])("%j means all of them", async (flags, expected) => {
    expect(await rcdsOf(...flags)).toEqual(expected);
  });

  test.each([
    ["sample", ["sample", "-f", "ndjson"]],
    ["export", ["export"]],
  ])("%s has the rows of all of them", async (_, command) => {
    const { stdout } = await runInProcess([...command, "--retailer", "acme", "--retailer=casa"], { service });
    const retailers = recordsOf(stdout).map(({ retailer }) => retailer);
    expect(retailers.sort()).toEqual(["acme", "acme", "casa"]);
  });

  test("a manifest records the filters as typed and as sent", async () => {
    const output = join(await temporaryFolder(), "rows.ndjson");
    const args = ["export", "--retailer", "acme,casa", "-o", output, "--manifest", "--date", "latest"];
    expect(await runInProcess(args, { service })).toMatchObject({ code: EXIT.ok });
    const manifest = JSON.parse(await readFile(`${output}.manifest.json`, "utf8"));
    expect(manifest.asked).toEqual({ retailer: ["acme", "casa"], start_date: "latest", end_date: "latest" });
    expect(manifest.resolved.rcd).toBe("acme:lamps:home,acme:shoes:clothing,casa:chairs:home");
    expect(manifest.rows).toBe(3);
  });

  test.each([
    [["--retailer", "acme,bolk"], "unknown_retailer", "--retailer acme,bolt"],
    [["--retailer", "acme", "--retailer", "bolk"], "unknown_retailer", "--retailer acme --retailer bolt"],
    [["--retailer", "acme,acmee"], "unknown_retailer", "--retailer acme"],
    [
      ["--retailer", "bolt", "--category", "lamps,dirlls"],
      "unknown_category",
      "--retailer bolt --category lamps,drills",
    ],
    [["--category", "lamps,shoos"], "unknown_category", "--category lamps,shoes"],
    [["--rcd", "acme:lamps:home,casa:chair:home"], "unknown_category", "--rcd acme:lamps:home,casa:chairs:home"],
  ])("%j: a value that the service does not know is refused like a single one", async (flags, code, corrected) => {
    const result = await runInProcess(["export", ...flags], { service });
    expect(result).toMatchObject({ code: EXIT.usage, stdout: "" });
    expect(result.stderr).toContain(`\n  catalog export ${corrected}\n`);
    expect(result.stderr).toContain(`\n${code} ·`);
  });

  test("a value without rows within the other filters is refused, not ignored", async () => {
    const args = ["export", "--retailer", "acme,casa", "--category", "shoes,lamps"];
    expect(await runInProcess(args, { service })).toEqual({
      code: EXIT.usage,
      stdout: "",
      stderr: 'error: --retailer "casa" has no rows together with --category shoes,lamps; leave it out.\n',
    });
  });

  test.each([
    ["--retailer", "acme,,bolt"],
    ["--retailer", ""],
    ["--rcd", "acme:lamps:home,"],
  ])("an empty value in %s %j is refused before any request", async (...flags) => {
    expect(
      await runInProcess(["export", ...flags], {
        env: { CATALOG_BASE_URL: "http://x.invalid" },
      }),
    ).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining("empty") });
  });
});

describe("more combinations than one request can name", () => {
  const many = Array.from(
    { length: 300 },
    (_, index) => `${index % 2 === 0 ? "acme" : "bolt"}:category-with-a-long-name-${index}:home`,
  );
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ rows: oneRowEach(...many, "casa:chairs:home"), onEnd });
  });

  test.each([
    ["export", ["export"], 300],
    ["coverage", ["coverage", "-f", "ndjson"], 300],
    ["sample", ["sample", "-f", "ndjson"], 100],
  ])("%s still means all of them", async (_, command, count) => {
    const { code, stdout, stderr } = await runInProcess([...command, "--retailer", "acme,bolt", "--date=latest"], {
      service,
    });
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    const retailers = recordsOf(stdout).map(({ retailer }) => retailer);
    expect(retailers).toHaveLength(count);
    expect(new Set(retailers)).toEqual(new Set(["acme", "bolt"]));
  });

  test("one that the service does not know is refused", async () => {
    const list = [...many, "acme:hats:home"].join(",");
    expect(await runInProcess(["export", "--rcd", list], { service })).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining('"acme:hats:home"'),
    });
  });
});

describe("any other flag given twice", () => {
  test.each([
    [["export", "--demo", "--date", "1d", "--date=2d"], "--date is given twice"],
    [["export", "--demo", "-o", "a", "--output", "b"], "--output is given twice"],
    [["--timeout", "1s", "coverage", "--timeout", "2s"], "--timeout is given twice"],
    [["coverage", "-q", "--demo", "-q"], "--quiet is given twice"],
    [["export", "--demo", "--no-progress", "--progress", "plain"], "--progress cannot be combined with --no-progress"],
    [["service", "keys", "create", "x", "--team", "a", "--team", "b"], "--team is given twice"],
  ])("%j is refused", async (args, told) => {
    expect(await runInProcess(args)).toMatchObject({ code: EXIT.usage, stderr: `error: ${told}; give only one.\n` });
  });
});

test.each([
  [["export", "--demo", "-o", "--resume"], "--output has no value: --resume"],
  [["coverage", "--retailer", "--demo"], "--retailer has no value: --demo"],
  [["export", "--demo", "-o", "-h"], "--output has no value: -h"],
  [["service", "keys", "create", "--team", "--version"], "--team has no value: --version"],
])("a flag in the place of a value is refused: %j", async (args, told) => {
  expect(await runInProcess(args)).toMatchObject({ code: EXIT.usage, stderr: `error: ${told} is a flag, too.\n` });
});

test.each([
  [["latest", "--demo", "--sort", "a\nb"], '--sort: there is no column "a\\nb"'],
  [["latest", "--demo", "--columns", "a\nb"], 'there is no column "a\\nb"'],
  [["export", "--demo", "--columns", "sku,a\nb,a\nb"], 'there is no column "a\\nb"'],
  [["export", "--demo", "--partition-by", "a\nb", "-o", "x"], 'crawl_date, not "a\\nb"'],
  [["a\nb"], "unknown command 'a\\nb'"],
  [["coverage", "--a\nb"], "unknown option '--a\\nb'"],
])("a line end in %j does not end the line of the error", async (args, told) => {
  const { stderr } = await runInProcess(args);
  expect(stderr.split("\n")[0]).toContain(told);
});

describe("a day counted from the newest", () => {
  const rows = ["2026-03-01", "2026-03-08", "2026-03-09"].flatMap((crawl_date) => [
    product({ retailer: "acme", crawl_date, sku: crawl_date }),
  ]);
  const older = product({ retailer: "bolt", crawl_date: "2026-02-01", sku: "b" });
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ rows: [...rows, older], onEnd });
  });

  test.each([
    [
      ["--date", "latest"],
      ["2026-02-01", "2026-03-09"],
    ],
    [["--date", "latest", "--retailer", "acme"], ["2026-03-09"]],
    [
      ["--start-date", "latest-1d"],
      ["2026-02-01", "2026-03-08", "2026-03-09"],
    ],
    [
      ["--start-date", "latest-8d", "--end-date", "latest-1d"],
      ["2026-03-01", "2026-03-08"],
    ],
    [["--date", "latest", "--retailer", "bolt"], ["2026-02-01"]],
    [
      ["--date", "latest", "--retailer", "acme,bolt"],
      ["2026-02-01", "2026-03-09"],
    ],
  ])("%j selects the rows of that day of each retailer", async (flags, days) => {
    const { code, stdout } = await runInProcess(["export", ...flags], { service });
    expect(code).toBe(EXIT.ok);
    const found = recordsOf(stdout).map(({ crawl_date }) => crawl_date);
    expect(found.sort()).toEqual(days);
  });

  test("a wrong order of days that depends on the service is refused", async () => {
    const args = ["export", "--start-date", "2026-03-10", "--end-date", "latest"];
    expect(await runInProcess(args, { service })).toMatchObject({
      code: EXIT.usage,
      stderr: "error: --start-date 2026-03-10 is after --end-date latest (2026-03-09).\n",
    });
  });

  test("without any rows it selects nothing", async () => {
    const service = await startTestService({ rows: [] });
    expect(await runInProcess(["export", "--date", "latest"], { service })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("a service that answers an rcd with its parts in `meta.resolved`", () => {
  const expand = ({ text }: { text: string }) => {
    const body = JSON.parse(text);
    const triples = String(body.meta.resolved.rcd).split(",");
    const part = (index: number) => [...new Set(triples.map((triple) => triple.split(":")[index]))].join();
    expect(triples[0]).toMatch(/^acme:/);
    Object.assign(body.meta.resolved, { rcd: null, retailer: part(0), category: part(1), department: part(2) });
    return { text: JSON.stringify(body) };
  };

  test.each(["acme:lamps:home", "acme:lamps:home,casa:chairs:home"])("is understood: %s", async (rcd) => {
    const url = await startRewritingProxy(service.url, expand, onEnd);
    const cwd = await temporaryFolder();
    const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: service.key };
    const rows = rcd.split(",").length;
    for (const args of [
      ["sample", "-f", "ndjson"],
      ["coverage", "-f", "ndjson"],
      ["export", "-f", "ndjson"],
    ]) {
      const { code, stdout, stderr } = await runInProcess([...args, "--rcd", rcd], { env });
      expect({ code, stderr, stdoutLines: stdout.trim().split("\n").length }).toEqual({
        code: EXIT.ok,
        stderr: "",
        stdoutLines: rows,
      });
    }
    await runInProcess(["export", "-o", "./rows.csv", "--manifest", "--rcd", rcd], { cwd, env });
    const manifest = JSON.parse(await readFile(join(cwd, "rows.csv.manifest.json"), "utf8"));
    expect(manifest.resolved).toMatchObject({ retailer: null, rcd });
  });
});

describe("a key of catalog:sample alone", () => {
  test.each([
    [
      ["--date", "latest"],
      /^error: "latest" is looked up in the coverage, which needs the scope catalog:read; .*or name the day, as in `yesterday`\n/,
    ],
    [
      ["--retailer", "acme,bolt"],
      /^error: Several values of retailer are looked up in the coverage, .*, or name one value\n/,
    ],
  ])("is told what sample %j needs another scope for", async (flags, words) => {
    const key = await service.createKey({ name: `viewer-${flags[0]}`, scopes: ["catalog:sample"] });
    const env = { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: key };
    const sample = (...more: string[]) => runInProcess(["sample", ...more], { env });

    const { code, stderr } = await sample(...flags);

    expect({ code, stderr }).toEqual({ code: EXIT.credentials, stderr: expect.stringMatching(words) });
    expect(await sample("--retailer", "acme")).toMatchObject({ code: 0, stderr: "" });
  });
});
