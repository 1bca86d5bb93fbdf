import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

/** `acme` was last crawled ten days before `bolt`; `cedar` has rows on the newest day of each. */
const ROWS = [
  ...products(3, { crawl_date: "2026-01-01" }),
  ...products(30, { crawl_date: "2026-01-05", category: "sofas" }),
  ...products(120, { crawl_date: "2026-01-05" }),
  ...products(4, { retailer: "bolt", crawl_date: "2026-01-05" }),
  ...products(2, { retailer: "bolt", crawl_date: "2026-01-15" }),
  product({ retailer: "cedar", crawl_date: "2026-01-15" }),
];

const TWO = ["--retailer", "bolt,acme", "--date", "latest"];

const onEnd = afterAllTests();
let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService({ rows: ROWS, rateLimit: 10_000, onEnd });
  folder = `${await temporaryFolder(onEnd)}/rows`;
  expect(await runInProcess(["sync", folder], { service })).toMatchObject({ code: 0 });
});

const linesOf = async (...args: string[]) => {
  const { code, stdout, stderr } = await runInProcess(args, { service });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
};

test("an export takes the newest day of each named retailer, as one export of each would", async () => {
  const all = await linesOf("export", ...TWO);
  const acme = await linesOf("export", "--retailer", "acme", "--date", "latest");
  const bolt = await linesOf("export", "--retailer", "bolt", "--date", "latest");
  expect({ acmeCount: acme.length, boltCount: bolt.length }).toEqual({ acmeCount: 150, boltCount: 2 });
  expect(all).toEqual([...acme, ...bolt]);
  expect(await linesOf("export", ...TWO, "--page-size", "7", "--concurrency", "1")).toEqual(
    await linesOf("export", ...TWO, "--page-size", "7"),
  );
});

test("an export whose retailers have days of their own passes verify, and has rows of each window", async () => {
  const cwd = await temporaryFolder();
  const args = ["export", "--retailer", "acme,bolt", "--start-date", "latest-4d", "-o", "./rows.ndjson", "--manifest"];
  expect(await runInProcess(args, { service, cwd })).toMatchObject({ code: 0 });
  expect(await runInProcess(["verify", "./rows.ndjson"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("155 rows"),
  });
});

test("coverage, its days and its folder have the same newest days", async () => {
  const expected = [
    '{"crawl_date":"2026-01-15","retailers":1,"combinations":1,"matching_rows":2}',
    '{"crawl_date":"2026-01-05","retailers":1,"combinations":2,"matching_rows":150}',
  ];
  const days = async (...args: string[]) =>
    (await linesOf("coverage", ...args, "--group-by", "day")).map((line) => line.replace(/,"days_old":\d+/, ""));
  expect(await days(...TWO)).toEqual(expected);
  expect(await days(folder, ...TWO)).toEqual(expected);
  const groups = await linesOf("coverage", ...TWO, "--group-by", "retailer", "--sort", "name");
  expect(groups).toEqual(await linesOf("coverage", folder, ...TWO, "--group-by", "retailer", "--sort", "name"));
  expect(groups.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ retailer: "acme", matching_rows: 150, latest_date: "2026-01-05" }),
    expect.objectContaining({ retailer: "bolt", matching_rows: 2, earliest_date: "2026-01-15" }),
  ]);
});

test("a retailer without rows in the days that it would have is left out", async () => {
  const found = await linesOf(
    "coverage",
    "--retailer",
    "acme,bolt",
    "--start-date",
    "2026-01-10",
    "--end-date",
    "latest",
  );
  expect(found.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ retailer: "bolt", matching_rows: 2 }),
  ]);
});

test("a retailer whose newest day is after the last day has no rows, although it has some before", async () => {
  const columns = ["--columns", "retailer,crawl_date", "-f", "csv"];
  const found = await linesOf(
    "export",
    "--retailer",
    "bolt,acme",
    "--start-date",
    "latest",
    "--end-date",
    "2026-01-10",
    ...columns,
  );
  expect(new Set(found.map((line) => line.trim()))).toEqual(new Set(["retailer,crawl_date", "acme,2026-01-05"]));
  const days = ["coverage", folder, "--retailer", "bolt,acme", "--start-date", "latest", "--end-date", "2026-01-10"];
  expect((await linesOf(...days)).map((line) => JSON.parse(line).retailer)).toEqual(["acme", "acme"]);
});

test("a retailer with rows after today alone has the days that it would have alone", async () => {
  const ahead = await startTestService({ rows: [...ROWS, product({ retailer: "dove", crawl_date: "2999-01-01" })] });
  const rowsOf = async (retailers: string) => {
    const args = ["export", "--retailer", retailers, "--start-date", "latest"];
    return (await runInProcess(args, { service: ahead })).stdout;
  };
  expect(await rowsOf("acme,bolt,dove")).toBe(`${await rowsOf("acme,bolt")}${await rowsOf("dove")}`);
  expect(await rowsOf("dove")).toContain("2999-01-01");
});

test("a sample has rows of the newest day of each", async () => {
  const rows = (await linesOf("sample", ...TWO)).map((line) => JSON.parse(line));
  expect(new Set(rows.map(({ retailer, crawl_date }) => `${retailer} ${crawl_date}`))).toEqual(
    new Set(["acme 2026-01-05", "bolt 2026-01-15"]),
  );
  expect(rows.length).toBeLessThanOrEqual(100);
});

test("history from a day before the newest has the days of each", async () => {
  const args = ["--retailer", "acme,bolt", "--start-date", "latest", "--columns", "retailer,crawl_date", "-f", "csv"];
  const { stdout } = await runInProcess(["history", "sku-0000", folder, ...args]);
  expect(stdout.trimEnd().split("\r\n")).toEqual(["retailer,crawl_date", "acme,2026-01-05", "bolt,2026-01-15"]);
});

test("a synced folder has one window, and says so", async () => {
  const cwd = await temporaryFolder();
  expect(await runInProcess(["sync", "./two", ...TWO], { service, cwd, columns: 200 })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("latest is the newest day of any of them"),
  });
  const [only, ...others] = await linesOf("coverage", `${cwd}/two`, "--group-by", "day");
  expect([JSON.parse(only ?? ""), others]).toMatchObject([{ crawl_date: "2026-01-15", matching_rows: 2 }, []]);
});

test("latest is the newest day of the combinations that the filters leave, not of their retailer", async () => {
  const chairs = { category: "chairs", crawl_date: "2026-02-20" };
  const rows = [...ROWS, product(chairs), product({ ...chairs, retailer: "bolt" })];
  const wider = await startTestService({ rows });
  const daysOf = async (...filters: string[]) => {
    const { code, stdout } = await runInProcess(["coverage", ...filters, "-f", "ndjson"], { service: wider });
    return [code, new Set(stdout.match(/(?<="latest_date":")[^"]+/g))];
  };

  const some = ["--category", "sofas,lamps", "--date", "latest"];
  expect(await daysOf("--retailer", "acme", ...some)).toEqual([0, new Set(["2026-01-05"])]);
  expect(await daysOf("--retailer", "acme,bolt", ...some)).toEqual([0, new Set(["2026-01-05", "2026-01-15"])]);
});
