import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import { readSyncedFolder, writeState } from "../../src/folder/folder-state.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startRewritingProxy } from "../helpers/rewriting-proxy.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { FIRST_DAY, servedFolder, syncedFolder } from "../helpers/synced-folder.ts";

const ROWS = [
  ...products(4, { crawl_date: "2026-01-01" }),
  ...products(2, { crawl_date: "2026-01-04" }),
  product({ retailer: "zeta", category: "sofas", crawl_date: "2026-01-02" }),
  product({ retailer: "zeta", category: "sofas", crawl_date: "2026-01-04" }),
];
const now = () => Date.parse("2026-01-10T23:59:00Z");

const onEnd = afterAllTests();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ rows: ROWS, rateLimit: 1_000, onEnd });
});

async function coverage(args: readonly string[], columns?: number) {
  return await runInProcess(["coverage", ...args], { service, now, ...(columns !== undefined && { columns }) });
}

test.each([
  // Its combinations without a row on the days of the filters count.
  [["--date", "2026-01-02", "--retailer", "acme"], ["acme,1,5,2"]],
  // Each retailer has its own days.
  [
    ["--date", "latest"],
    ["acme,1,5,2", "bolt,1,1,1"],
  ],
])("the corpus rows of a group are those of all days: %j", async (filters, counted) => {
  const { folder, alreadySynced, env } = await servedFolder([
    ...products(3, { category: "lamps", crawl_date: "2026-01-01" }),
    ...products(2, { category: "rugs", brand: "Bolt", crawl_date: "2026-01-02" }),
    ...products(1, { retailer: "bolt", crawl_date: "2026-01-01" }),
  ]);
  await alreadySynced();
  const columns = "retailer,combinations,corpus_rows,matching_rows";
  const args = ["coverage", ...filters, "--group-by", "retailer", "-f", "csv", "--columns", columns];
  for (const source of [{ args, env }, { args: [...args, "--from", folder] }]) {
    const { stdout } = await runInProcess(source.args, source);
    expect(stdout).toBe([columns, ...counted, ""].join("\r\n"));
  }
});

describe("coverage --group-by day", () => {
  test("counts each day, the newest first, in every format", async () => {
    const { stdout, stderr } = await coverage(["--group-by", "day"]);
    expect({ stdout, stderr }).toEqual({
      stdout: `{"crawl_date":"2026-01-04","retailers":2,"combinations":2,"matching_rows":3,"days_old":6}
{"crawl_date":"2026-01-02","retailers":1,"combinations":1,"matching_rows":1,"days_old":8}
{"crawl_date":"2026-01-01","retailers":1,"combinations":1,"matching_rows":4,"days_old":9}
`,
      stderr: "",
    });
    expect((await coverage(["--group-by", "day", "-f", "csv", "-n", "1"])).stdout).toBe(
      "crawl_date,retailers,combinations,matching_rows,days_old\r\n2026-01-04,2,2,3,6\r\n",
    );
    expect(
      (await coverage(["--group-by", "day", "-f", "markdown", "--sort", "rows"])).stdout,
    ).toBe(`| day | retailers | combinations | rows | days old |
| --- | ---: | ---: | ---: | ---: |
| 2026-01-01 | 1 | 1 | 4 | 9 |
| 2026-01-04 | 2 | 2 | 3 | 6 |
| 2026-01-02 | 1 | 1 | 1 | 8 |
| 3 days | 2 | 2 | 8 | 6 |
`);
  });

  test("shows a person the rows as bars, the totals, the days that are missing and the requests that it took", async () => {
    const { stdout, stderr } = await coverage(["--group-by", "day", "-f", "table", "--no-color"], 80);
    expect(stdout).toBe(`day         retailers  combinations  rows  days old
──────────  ─────────  ────────────  ────  ────────  ────────────────────────
2026-01-04          2             2     3         6  ██████████████████
2026-01-02          1             1     1         8  ██████
2026-01-01          1             1     4         9  ████████████████████████
──────────  ─────────  ────────────  ────  ────────  ────────────────────────
3 days              2             2     8         6
`);
    expect(stderr).toBe("1 day without rows is not listed · 5 requests\n");
  });

  test("asks for the newest 30 days, or for those that the dates name, one request each", async () => {
    const rows = Array.from({ length: 40 }, (_, day) => products(3, { crawl_date: addDays("2026-01-01", day) })).flat();
    const daily = await startTestService({ rows });
    const shown = async (...args: string[]) => {
      const { stdout, stderr } = await runInProcess(["coverage", "--group-by", "day", "-v", ...args], {
        service: daily,
      });
      const days = stdout.trimEnd().split("\n");
      return { days: days.length, last: days.at(-1), requests: stderr.match(/GET \/v1\/coverage/g)?.length };
    };
    const last = (day: string, daysOld: string) =>
      `{"crawl_date":"${day}","retailers":1,"combinations":1,"matching_rows":3,"days_old":${daysOld}}`;
    // The coverage of the whole set, that of its newest days, and each of these.
    expect(await shown()).toEqual({ days: 30, last: expect.stringContaining('"2026-01-11"'), requests: 32 });
    expect(await shown("--start-date", "2026-02-08")).toEqual({
      days: 2,
      last: expect.stringContaining(last("2026-02-08", "").slice(0, 60)),
      requests: 3,
    });
  });

  test("does not begin if the days are more than the requests that are allowed", async () => {
    const { code, stderr } = await coverage(["--group-by", "day", "--max-requests", "3", "-v"]);
    expect({ code, requests: stderr.match(/GET \/v1\/coverage/g)?.length }).toEqual({ code: 2, requests: 1 });
    expect(stderr).toContain("asks the service once a day, and 4 days match; --max-requests allows 3");
    expect(stderr).toContain("as in --start-date 2d --end-date today");
    expect((await coverage(["--group-by", "day", "--max-requests", "4"])).code).toBe(0);
  });

  test("ends with exit code 6 if the set changes while its days are counted", async () => {
    const { url, key } = await startTestService({ rows: ROWS });
    const proxy = await startRewritingProxy(
      url,
      ({ target, text }) =>
        target.includes("start_date=2026-01-01")
          ? { text: text.replaceAll('"matching_rows":4', '"matching_rows":3') }
          : {},
      onTestFinished,
    );
    const env = { CATALOG_BASE_URL: proxy, CATALOG_API_KEY: key };
    const { code, stdout, stderr } = await runInProcess(["coverage", "--group-by", "day"], { env });
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain("the set changed while its days were counted: 8 rows at first, then 7");
  });

  test("with --chart draws a bar a day, and the lines from the same responses", async () => {
    const { stdout, stderr } = await coverage(["--group-by", "day", "--chart", "-v", "--retailer", "acme"]);
    expect(stdout).toBe(`day         rows
──────────  ────  ────────────────────────────────────────
2026-01-04     2  ████████████████████
2026-01-01     4  ████████████████████████████████████████

retailer  2026-01-01 to 2026-01-04
────────  ────────────────────────
acme      ██····▒▒
each mark is 1 day: · no rows, ░▒▓█ rows a day against the retailer's own maximum
`);
    expect(stderr.match(/GET \/v1\/coverage/g)).toHaveLength(5);
  });

  test("of nothing is an empty result", async () => {
    const { code, stdout } = await coverage(["--group-by", "day", "--date", "1999-01-01"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect((await coverage(["--group-by", "day", "--date", "1999-01-01", "--fail-on-empty"])).code).toBe(7);
  });
});

describe("the days since the newest crawl", () => {
  test("are the last member of every combination and group", async () => {
    const combinations = await coverage(["-f", "csv"]);
    expect(combinations.stdout.split("\r\n").map((line) => line.split(",").slice(-2).join())).toEqual([
      "latest_date,days_old",
      "2026-01-04,6",
      "2026-01-04,6",
      "",
    ]);
    const groups = await coverage(["--group-by", "retailer", "--end-date", "2026-01-03", "--sort", "days_old:desc"]);
    expect(groups.stdout.split("\n").map((line) => /"(?:acme|zeta)"|"days_old":\d+/g[Symbol.match](line))).toEqual([
      ['"acme"', '"days_old":9'],
      ['"zeta"', '"days_old":8'],
      null,
    ]);
  });

  test("are a column of the table, or above it if they are the same everywhere", async () => {
    expect((await coverage(["-f", "table"])).stdout).toContain("last day: 2026-01-04 · days old: 6");
    const earlier = (await coverage(["-f", "table", "--end-date", "2026-01-03"])).stdout;
    expect(earlier).toMatch(/rows {2}last day {4}days old .*\n.*\nacme .* 2026-01-01 +9 .*\nzeta .* 2026-01-02 +8 /);
    expect(earlier).toMatch(/total of 2 .* 2026-01-02 +8 /);
  });
});

describe("coverage --from DIR", () => {
  const rows = fc
    .array(
      fc.record({
        day: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(20)),
        retailer: fc.constantFrom("acme", "bolt"),
        category: fc.constantFrom("lamps", "chairs"),
      }),
      { minLength: 5, maxLength: 40 },
    )
    .map((all) =>
      all.map(({ day, retailer, category }, index) =>
        product({ crawl_date: addDays(FIRST_DAY, day), retailer, category, sku: `s${index}` }),
      ),
    );

  test("has the same coverage as the service", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const { folder, sync, env } = await servedFolder(all);
        await sync();
        const [{ retailer = "", category = "" } = {}] = all;
        for (const flags of [
          [],
          ["--group-by", "day"],
          ["--group-by", "day", "--retailer", retailer, "--start-date", addDays(FIRST_DAY, 2), "-f", "table"],
          ["--group-by", "category", "--retailer", retailer, "-f", "csv"],
          ["--category", category, "--end-date", addDays(FIRST_DAY, 3), "-f", "markdown"],
        ]) {
          const service = await runInProcess(["coverage", ...flags], { env });
          const offline = await runInProcess(["coverage", "--from", folder, ...flags]);
          expect({ flags, offline }).toEqual({ flags, offline: service });
        }
      }),
      { numRuns: 4 },
    );
  });

  test("refuses a folder whose rows are not those that were synced", async () => {
    const { folder, sync, file } = await servedFolder(ROWS);
    await sync();
    await rm(file("2026-01-02"));
    const { code, stdout, stderr } = await runInProcess(["coverage", "--from", folder, "--group-by", "day"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("crawl_date=2026-01-02/part-0.parquet was changed or damaged since the last sync");
    expect((await runInProcess(["coverage", "--from", folder, "--date", "2026-01-01"])).code).toBe(0);
  });

  test("writes the page of the folder without any request", async () => {
    const folder = await syncedFolder(ROWS);
    const cwd = await temporaryFolder();
    const { code, stderr } = await runInProcess(["coverage", "--from", folder, "--html", "./page.html", "-v"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^page\.html: the coverage of \d+ combinations\n$/),
    });
  });
});

test.each([
  [["--from", "rows", "--demo"], "--demo cannot be combined with --from"],
  [["--from", "rows", "--base-url", "http://127.0.0.1:1"], "--base-url cannot be combined with --from"],
  [["--from", "nowhere"], "there is no folder nowhere; `catalog sync nowhere` creates one"],
  [["--max-requests", "5"], "--max-requests is for --group-by day of a service"],
  [["--from", "rows", "--group-by", "day", "--max-requests", "5"], "--max-requests is for --group-by day of a service"],
  [["--group-by", "day", "--sort", "latest_date"], 'there is no column "latest_date"'],
])("refuses %j", async (args, message) => {
  const { code, stdout, stderr } = await runInProcess(["coverage", ...args]);
  expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: "" });
  expect(stderr).toContain(message);
});

test("--fail-if is about retailers, or the groups of --group-by, listed or not", async () => {
  const coverageWith = (...args: string[]) => coverage(["--fail-if", ...args]);
  const stale = await coverageWith("days_old > 5");
  expect({ code: stale.code, stdoutLines: stale.stdout.split("\n").length, stderr: stale.stderr }).toEqual({
    code: 8,
    stdoutLines: 3,
    stderr: expect.stringContaining("days_old > 5 holds for 2 retailers: acme, zeta"),
  });
  expect((await coverageWith("days_old > 6")).code).toBe(0);
  expect((await coverageWith("count >= 2", "--group-by", "retailer")).code).toBe(8);
  expect((await coverageWith("count > 2", "--group-by", "retailer")).code).toBe(0);
  expect((await coverageWith("count < 1", "--date", "1999-01-01")).code).toBe(8);
  const small = await coverageWith("matching_rows < 2", "--group-by", "day", "-n", "1");
  expect({ code: small.code, stdoutLines: small.stdout.split("\n").length, stderr: small.stderr }).toEqual({
    code: 8,
    stdoutLines: 2,
    stderr: expect.stringContaining("holds for 1 day: 2026-01-02"),
  });
});

test.each([
  [[], "retailers", "days_old, matching_rows, corpus_rows, combinations, count"],
  [["--group-by", "day"], "corpus_rows", "days_old, matching_rows, combinations, retailers, count"],
])("--fail-if with %j refuses %s, which no group has", async (flags, field, fields) => {
  const { code, stdout, stderr } = await coverage([...flags, "--fail-if", `${field} > 0`]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`error: --fail-if has no field "${field}"; the fields are ${fields}.`);
});

test("coverage DIR is coverage --from DIR", async () => {
  const folder = await syncedFolder(ROWS);
  const run = (...args: string[]) => runInProcess(["coverage", ...args], { now });
  expect(await run(folder, "--group-by", "retailer")).toEqual(await run("--from", folder, "--group-by", "retailer"));
  expect((await run(folder, "--fail-if", "days_old > 5")).code).toBe(8);
  expect((await run(folder, "--from", folder)).code).toBe(2);
});

test.each([["coverage"], ["movers"], ["history", "A1"]])(
  "%s of a folder refuses a retailer that it does not know",
  async (...command) => {
    const folder = await syncedFolder(ROWS);
    const { code, stdout, stderr } = await runInProcess([...command, folder, "--retailer", "acmee"], { now });
    expect({ code, stdout, stderr: stderr.split("\n")[0] }).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: There is no retailer "acmee" in ${folder}.`,
    });
  },
);

describe("coverage DIR --group-by retailer,day", () => {
  const daily = (retailer: string, days: readonly number[], rows: number) =>
    days.flatMap((day) => products(rows, { retailer, crawl_date: addDays(FIRST_DAY, day) }));
  // Its crawl finds one row on the seventh day, and fails on the two last.
  const failing = [...daily("acme", [0, 1, 2, 3, 4, 5], 4), ...daily("acme", [6], 1)];
  const sofa = product({ category: "sofas", sku: "sofa", crawl_date: addDays(FIRST_DAY, 5) });
  const rows = [...failing, ...daily("bolt", [0, 2, 4, 6, 8], 2), sofa];

  test("has a row for each day, also without rows, and says which crawls failed", async () => {
    const folder = await syncedFolder(rows);
    const args = [folder, "--group-by", "retailer,day", "--start-date", addDays(FIRST_DAY, 5)];
    const { code, stdout, stderr } = await coverage([...args, "-f", "csv"]);
    expect({ code, stderr, lines: stdout.split("\r\n") }).toEqual({
      ...{ code: 0, stderr: "" },
      lines: [
        "retailer,crawl_date,matching_rows,usual_rows,share,outage",
        "acme,2026-01-09,0,4,0,true",
        "acme,2026-01-08,0,4,0,true",
        "acme,2026-01-07,1,4,0.25,true",
        "acme,2026-01-06,5,4,1.25,false",
        "bolt,2026-01-09,2,,,false",
        "bolt,2026-01-08,0,,,false",
        "bolt,2026-01-07,2,,,false",
        "bolt,2026-01-06,0,,,false",
        "",
      ],
    });
    const failed = await coverage([...args, "--fail-if", "share < 0.5", "--sort", "share", "-n", "1"]);
    expect(failed).toMatchObject({
      code: 8,
      stdout:
        '{"retailer":"acme","crawl_date":"2026-01-09","matching_rows":0,"usual_rows":4,"share":0,"outage":true}\n',
      stderr: "error: share < 0.5 holds for 3 days: acme 2026-01-09, acme 2026-01-08, acme 2026-01-07\n",
    });
  });

  test("counts the rows of a filter beside what is usual of the retailer", async () => {
    const folder = await syncedFolder(rows);
    const args = [folder, "--group-by", "retailer,day", "--date", addDays(FIRST_DAY, 5), "--category", "sofas"];
    expect((await coverage([...args, "-f", "markdown"])).stdout).toBe(
      `| retailer | crawl_date | matching_rows | usual_rows | share | outage |
| --- | --- | ---: | ---: | ---: | --- |
| acme | 2026-01-06 | 1 | 4 | 1.25 | false |
`,
    );
  });

  test.each([
    [[], "--group-by retailer,day needs a folder of `catalog sync`"],
    [["copy", "--chart"], "--chart cannot be combined with --group-by retailer,day"],
  ])("refuses %j", async (args, message) => {
    expect(await coverage([...args, "--group-by", "retailer,day"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  test("is empty if nothing matches, and fails with --fail-on-empty", async () => {
    const args = [await syncedFolder(rows), "--group-by", "retailer,day", "--date", "2025-01-01"];
    const failed = await coverage([...args, "--fail-on-empty"]);
    expect({ code: (await coverage(args)).code, failedCode: failed.code, stderr: failed.stderr }).toEqual({
      code: 0,
      failedCode: 7,
      stderr: "error: no rows match the filters\n",
    });
  });
});

test("coverage of a folder that a sync is changing is that of the state before, with a warning", async () => {
  const folder = await syncedFolder(ROWS);
  const state = await readSyncedFolder(folder);
  const before = await coverage([folder]);
  await truncate(join(folder, placeOfDay("2026-01-04")), 10);
  await writeState(folder, { ...state, pending: ["2026-01-04"] });
  expect(await coverage([folder])).toEqual({
    ...before,
    stderr: `warning: a sync of ${folder} is replacing 1 day, or was interrupted; the counts are those before it\n`,
  });
});
