import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

/** Three days of two shops, one of which is a day behind, and a row of each that a wrong clock dated in the future. */
const price = (retailer: string, crawl_date: string, selling_price: number) =>
  product({ sku: "s", mrp: 100, retailer, crawl_date, selling_price });
const ROWS = [
  price("acme", "2026-01-01", 80),
  price("acme", "2026-01-09", 60),
  price("acme", "2026-01-10", 50),
  price("acme", "2062-01-10", 25),
  price("bolt", "2026-01-01", 90),
  price("bolt", "2026-01-09", 70),
  price("bolt", "2062-01-10", 35),
];
const now = () => Date.parse("2026-01-11T08:00:00Z");

const onEnd = afterAllTests();
let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService({ rows: ROWS, onEnd });
  folder = `${await temporaryFolder(onEnd)}/rows`;
  expect(await runInProcess(["sync", folder], { service })).toMatchObject({ code: 0 });
});

/** The clock of a sync moves on, because it waits. */
const run = (...args: string[]) => runInProcess(args, { service, ...(args[0] === "sync" ? {} : { now }) });
const linesOf = async (...args: string[]) => (await run(...args, "-f", "csv")).stdout.trimEnd().split("\r\n").slice(1);

test.each([
  [
    ["--date", "latest"],
    ["acme,2026-01-10", "bolt,2026-01-09"],
  ],
  [
    ["--start-date", "latest-1d", "--end-date", "latest"],
    ["acme,2026-01-09", "acme,2026-01-10", "bolt,2026-01-09"],
  ],
  [["--retailer", "acme", "--date", "latest"], ["acme,2026-01-10"]],
  [
    ["--retailer", "bolt,acme", "--end-date", "latest", "--start-date", "latest"],
    ["acme,2026-01-10", "bolt,2026-01-09"],
  ],
])("%j is never a day after today", async (flags, expected) => {
  const columns = ["--columns", "retailer,crawl_date"];
  expect((await linesOf("export", ...flags, ...columns)).sort()).toEqual(expected);
  expect((await linesOf("sample", ...flags, ...columns)).sort()).toEqual(expected);
  if (!flags.includes("--date")) {
    expect(await linesOf("history", "s", folder, ...flags, ...columns)).toHaveLength(expected.length);
  }
});

test.each([["the service"], ["a folder"]])(
  "ages of %s count from the newest real day, and one warning counts the rows of later ones",
  async (source) => {
    const from = source === "a folder" ? [folder] : [];
    expect(await run("coverage", ...from, "--group-by", "retailer", "--fail-if", "days_old > 1")).toEqual({
      code: EXIT.condition,
      stdout: `{"retailer":"acme","combinations":1,"corpus_rows":4,"matching_rows":4,"earliest_date":"2026-01-01","latest_date":"2026-01-10","days_old":1}
{"retailer":"bolt","combinations":1,"corpus_rows":3,"matching_rows":3,"earliest_date":"2026-01-01","latest_date":"2026-01-09","days_old":2}
`,
      stderr:
        "warning: 2 rows dated after today; these days do not count as the newest\nerror: days_old > 1 holds for 1 retailer: bolt\n",
    });
  },
);

test("the days of a service are listed up to today", async () => {
  expect(await linesOf("coverage", "--group-by", "day")).toEqual([
    "2026-01-10,1,1,1,1",
    "2026-01-09,2,2,2,2",
    "2026-01-01,2,2,2,10",
  ]);
});

test("a sync from latest-1d begins at the newest real day", async () => {
  const copy = `${await temporaryFolder()}/rows`;
  expect(await run("sync", copy, "--start-date", "latest-1d")).toMatchObject({ code: 0 });
  const days = (await linesOf("coverage", copy, "--group-by", "day")).map((line) => line.slice(0, 10));
  expect(days).toEqual(["2062-01-10", "2026-01-10", "2026-01-09"]);
  const [later] = await linesOf("coverage", copy, "--group-by", "day", "--columns", "crawl_date,days_old");
  expect(later).toBe("2062-01-10,");
});

test("questions of a folder answer as of the newest real day, with one warning", async () => {
  const warning = `warning: 2 rows of ${folder} dated after today left out\n`;
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "-f", "csv");
    return { code, lines: stdout.trimEnd().split("\r\n").slice(1), stderr };
  };
  expect(await ask("latest", folder, "--columns", "retailer,selling_price,days_old")).toEqual({
    ...{ code: 0, lines: ["acme,50,1", "bolt,70,2"], stderr: warning },
  });
  expect(await ask("latest", folder, "--columns", "retailer,selling_price,days_old", "--retailer", "bolt")).toEqual({
    ...{ code: 0, lines: ["bolt,70,2"], stderr: warning.replace("2 rows", "1 row") },
  });
  expect(await ask("movers", folder, "--only", "drop", "--columns", "retailer,selling_price")).toEqual({
    ...{ code: 0, lines: ["acme,50", "bolt,70"], stderr: warning },
  });
  expect(await ask("history", "s", folder, "--columns", "retailer,crawl_date,selling_price")).toMatchObject({
    lines: expect.not.arrayContaining([expect.stringContaining("2062")]),
    stderr: warning,
  });
  expect(
    await ask("diff", folder, "--from", "2026-01-01", "--to", "latest", "--columns", "retailer,to_selling_price"),
  ).toEqual({
    ...{ code: 0, lines: ["acme,50", "bolt,70"], stderr: warning },
  });
  expect(
    await ask("diff", "--from", "latest-1d", "--to", "latest", "--columns", "retailer,to_selling_price"),
  ).toMatchObject({
    code: 0,
    lines: ["acme,50", "bolt,"],
  });
});

test("the tables of sql have the prices of the questions: later rows decide nothing", async () => {
  // The last price up to today is suspect only by the rows up to then: those after today have the same price.
  const prices = [10, 10, 10, 200, 200, 200, 200, 200].map((selling_price, day) =>
    product({ crawl_date: addDays(day < 4 ? "2026-01-07" : "2062-01-01", day), sku: "s", selling_price }),
  );
  const copy = await syncedFolder(prices);
  const columns = "crawl_date,selling_price";
  const expected = await linesOf("latest", copy, "--columns", "crawl_date,selling_price");
  expect(expected).toEqual(["2026-01-09,10"]);
  expect(await linesOf("sql", `select ${columns} from latest`, copy)).toEqual(["2026-01-09,10"]);
  expect(await linesOf("sql", "select count(*) from prices_daily", copy)).toEqual(["3"]);
});

test("a bookmark stays before the days after today, so that the next day is told", async () => {
  const copy = `${await temporaryFolder()}/rows`;
  await run("sync", copy);
  const drops = () =>
    linesOf("movers", copy, "--since", "last", "--only", "drop", "--columns", "retailer,selling_price");
  expect(await drops()).toEqual(["acme,50", "bolt,70"]);
  expect(await drops()).toEqual([]);
  await service.addRows([price("acme", "2026-01-11", 40), price("bolt", "2026-01-10", 60)]);
  await run("sync", copy);
  expect(await drops()).toEqual(["acme,40", "bolt,60"]);
});

describe("a category or brand of a retailer that only has a day after today", () => {
  const rows = [
    price("bolt", "2026-01-09", 70),
    product({ sku: "t", retailer: "bolt", category: "toys", brand: "Zed", crawl_date: "2062-01-10" }),
    ...["2026-01-07", "2026-01-08"].map((crawl_date) =>
      product({ sku: "u", retailer: "bolt", brand: "Zed", crawl_date }),
    ),
  ];
  const freshness = async (...args: string[]) => {
    const flags = ["--columns", "latest_date,days_old", "-f", "csv", "--fail-if", "days_old > 1"];
    const { code, stdout } = await runInProcess(["coverage", ...args, ...flags], { service: own, now });
    return { code, lines: stdout.trimEnd().split("\r\n").slice(1) };
  };
  let own: TestService;
  let copy: string;
  beforeAll(async () => {
    own = await startTestService({ rows, onEnd });
    copy = await syncedFolder(rows, onEnd);
  });

  test.each([["the service"], ["a folder"]])("hides no age of %s", async (source) => {
    const from = source === "a folder" ? [copy] : [];
    expect(await freshness(...from, "--group-by", "retailer")).toEqual({
      code: EXIT.condition,
      lines: ["2026-01-09,2"],
    });
    expect(await freshness(...from)).toMatchObject({ code: EXIT.condition });
  });

  test("hides no age of a brand", async () => {
    expect(await freshness(copy, "--group-by", "brand")).toEqual({
      code: EXIT.condition,
      lines: ["2026-01-09,2", "2026-01-08,3"],
    });
    const early = await freshness(copy, "--group-by", "brand", "--end-date", "2026-01-07");
    expect(early.lines).toEqual(["2026-01-07,4"]);
  });

  test("hides no age on the page", async () => {
    const page = `${copy}.html`;
    await runInProcess(["coverage", copy, "--html", page], { now });
    expect(await readFile(page, "utf8")).toContain("2 days old");
  });
});
