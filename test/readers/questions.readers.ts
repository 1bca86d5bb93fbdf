import { execFile, spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { writeYear } from "../../bench/year.mjs";
import { addDays, dayNumber, dayOf } from "../../src/contract/values/day-arithmetic.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";

const env = { ...process.env, PYTHONPATH: resolve("coverage/readers/python") };
/** pip cannot install everywhere. Without pandas there are no tests, and the run says so. */
const hasPandas = spawnSync("python3", ["-c", "import pandas, pyarrow"], { env }).status === 0;
if (!hasPandas) {
  process.stderr.write("not installed, so not tested: pandas\n");
}

const onEnd = afterAllTests();
let home: string;
/** Newest day of each folder. */
const newest: Record<string, string> = {};
const tool = async (...args: string[]) => {
  const result = await runCatalog(args, { cwd: home });
  expect(result).toMatchObject({ code: 0 });
  return result;
};
const python = async (script: string, ...args: string[]) => {
  const run = promisify(execFile)("python3", [resolve("test/readers", script), ...args], { cwd: home, env });
  return (await run).stdout;
};
/** Milliseconds to make the year, or to read it several times, on a busy machine. */
const YEAR_TIME = 600_000;
beforeAll(async () => {
  if (!hasPandas) {
    return;
  }
  home = await temporaryFolder(onEnd);
  await tool("sync", "demo", "--demo");
  await writeYear(`${home}/year`, 50_000);
  for (const folder of ["demo", "year"]) {
    const days = (await readdir(`${home}/${folder}`)).filter((name) => name.startsWith("crawl_date=")).sort();
    newest[folder] = days.at(-1)?.replace("crawl_date=", "") ?? "";
  }
}, YEAR_TIME);

describe.runIf(hasPandas).each([
  { folder: "demo", skus: "%3", least: [1_000, 4, 300, 100] },
  { folder: "year", skus: "%003", least: [50_000, 1, 300, 5_000] },
] as const)("pandas computes the same from the folder $folder", ({ folder, skus, least }) => {
  /** Half of the lines are of each retailer that has the sku; some skus are those of several. */
  const basket = `select sku, case when hash(sku) % 2 = 0 then retailer end as retailer,
    1 + max(length(title)) % 4 / 4 as quantity from latest where sku like '${skus}' group by all order by all`;

  test.each([
    ["brand", 10, []],
    ["category", 400, ["--max-age", "3d"]],
  ])(
    "latest, its groups by %s up to %i days before the newest, and index %j",
    async (group, days, index) => {
      const today = dayOf(Date.now());
      const age = String(dayNumber(today) - dayNumber(newest[folder] ?? "") + days);
      await tool("latest", folder, "-o", "latest.csv");
      await tool("sql", basket, folder, "-o", "basket.csv");
      await tool("latest", folder, "--group-by", group, "--max-age", `${days}d`, "-o", "group.csv");
      await tool("index", "basket.csv", folder, "--base", "latest-60d", ...index, "-o", "index.csv");
      const ages = index.slice(1).map((text) => text.replace("d", ""));
      const stdout = await python("questions.py", folder, ".", today, age, group, ...ages);
      const [prices = 0, groups = 0, rows = 0] = (stdout.match(/\d+/g) ?? []).map(Number);
      expect(stdout).toContain("index rows equal");
      expect([prices >= least[0], groups >= least[1], rows >= least[2]]).toEqual([true, true, true]);
    },
    YEAR_TIME,
  );

  test(
    "prices_daily, changes, movers and their groups, diff and report",
    async () => {
      const last = newest[folder] ?? "";
      const since = addDays(last, -7);
      const changes = `select retailer, sku, crawl_date, previous_date, previous_price, selling_price, change, percent
      from changes where crawl_date > DATE '${since}'`;
      await tool("sql", changes, folder, "-o", "changes.csv");
      await tool("movers", folder, "--since", since, "--limit", "1000000", "-o", "movers.csv");
      await tool("movers", folder, "--since", since, "--group-by", "brand", "--limit", "2", "-o", "brands.csv");
      await tool("sql", "from prices_daily", folder, "-o", "daily.parquet");
      await tool("diff", folder, "--max-age", "none", "--from", since, "--to", last, "-o", "diff.csv");
      await writeFile(`${home}/report.txt`, (await tool("report", folder, "--since", since)).stdout);
      const stdout = await python("prices.py", folder, ".", since, last, dayOf(Date.now()));
      expect(stdout).toContain("the report equal");
      expect(Number(/\d+/.exec(stdout)?.[0])).toBeGreaterThanOrEqual(least[3]);
    },
    YEAR_TIME,
  );
});
