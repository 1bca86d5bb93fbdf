import { once } from "node:events";
import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { priceIndexPath } from "../../src/folder/index/update-index.ts";
import { runCatalog, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { servedFolder } from "../helpers/synced-folder.ts";

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  const service = await startTestService({ rows: products(3), onEnd });
  folder = join(await temporaryFolder(onEnd), "rows");
  await runInProcess(["sync", folder, "--retailer", products(1)[0]?.retailer ?? ""], { service });
});

test("SIGTERM ends the wait for a query", async () => {
  const child = startCatalog(["sql", "-", folder, "--verbose"]);
  const ended = once(child, "close");
  const [stderr] = (await once(child.stderr ?? child, "data")) as [Buffer];
  expect(String(stderr)).toContain("has only what it was synced with");
  child.kill("SIGTERM");
  expect(await ended).toEqual([EXIT.terminated, null]);
});

test("a query that comes after a sync is about the days of that sync", async () => {
  const served = await servedFolder(products(1));
  await served.alreadySynced();
  const query = async function* () {
    await served.replace(products(2));
    await served.sync();
    yield Buffer.from("select count(*) as n from latest");
  };
  expect(
    await runInProcess(["sql", "-", served.folder, "-f", "csv"], {
      stdin: Readable.from(query()),
    }),
  ).toMatchObject({ code: EXIT.ok, stdout: "n\r\n2\r\n" });
});

test("a query of more than 16 MiB is refused as wrong usage", async () => {
  const stdin = `select 1 -- ${"x".repeat(16 * 1024 * 1024)}`;
  expect(await runInProcess(["sql", "-", folder], { stdin })).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("the query on stdin is longer than 16 MiB"),
  });
});

test("a folder alone shows the tables, queries to start from, and the way to DuckDB's own shell", async () => {
  const { code, stdout, stderr } = await runInProcess(["sql", folder]);
  expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
  expect(stdout).toMatch(/^rows: crawl_date, |^rows: product_id, sku, /m);
  expect(stdout.match(/^ {2}catalog sql '.*$/gm)).toHaveLength(3);
  // Prices of several currencies have no median.
  expect(stdout).toContain("select brand, currency, median(selling_price) from latest");
  const narrow = await runInProcess(["sql", folder], { columns: 80 });
  expect(
    narrow.stdout
      .split("\n\n")[0]
      ?.split("\n")
      .filter((line) => line.length > 80),
  ).toEqual([]);
  expect(stdout).toContain(`  duckdb -readonly ${join(folder, ".catalog", "prices.duckdb")}\n`);
});

test("the overview names only what can be pasted: no index that is in memory, and no folder that looks like a flag", async () => {
  const cwd = await temporaryFolder();
  await cp(folder, join(cwd, "-rows"), { recursive: true });
  const { stdout } = await runCatalog(["sql", "--", "-rows"], { cwd });
  expect(stdout).toContain(" by all' ./-rows\n");
  expect(stdout).toContain("duckdb -readonly ./-rows/.catalog/prices.duckdb\n");
  await rename(join(cwd, "-rows"), join(cwd, "rows?"));
  await rm(priceIndexPath(join(cwd, "rows?")));
  const other = await runInProcess(["sql", join(cwd, "rows?")]);
  expect(other).toMatchObject({ code: EXIT.ok, stdout: expect.not.stringContaining("duckdb") });
});

test("a query may begin with a comment", async () => {
  expect(await runInProcess(["sql", "-- how many\nselect count(*) as n from rows", folder, "-f", "csv"])).toMatchObject(
    { code: EXIT.ok, stdout: "n\r\n3\r\n" },
  );
});

/** Runs for hours. */
const LONG_QUERY = "select count(*) from range(1000000000000) numbers(n) where n % 7 = random()";

test("a signal ends a running query", async () => {
  const child = startCatalog(["sql", LONG_QUERY, folder]);
  const ended = once(child, "close");
  await isBusy(child.pid ?? 0);
  child.kill("SIGINT");
  expect(await ended).toEqual([EXIT.interrupted, null]);
});

test.each([
  ["the wait for a query", "-"],
  ["a running query", LONG_QUERY],
])("--max-time ends %s", async (_, query) => {
  const { code } = await runInProcess(["sql", query, folder, "--max-time", "200ms"], { stdin: new PassThrough() });
  expect(code).toBe(EXIT.unavailable);
});

/** Waits until a process has used a second of processor time, which no start takes. */
async function isBusy(pid: number): Promise<void> {
  for (;;) {
    const [, , , , , , , , , , , user = "0", system = "0"] = (await readFile(`/proc/${pid}/stat`, "utf8"))
      .replace(/^.*\) /, "")
      .split(" ");
    // In ticks of 10 ms.
    if (Number(user) + Number(system) > 100) {
      return;
    }
    await setTimeout(50);
  }
}

test("--with makes a table of a CSV file, whose values stay texts", async () => {
  const list = join(await temporaryFolder(onEnd), "list.csv");
  await writeFile(list, 'sku;target_price;note\nsku-0001;19.90;"a; b"\n0001;;""\n');
  const run = async (query: string, ...args: string[]) =>
    await runInProcess(["sql", query, folder, "--with", `Watch=${list}`, "-f", "csv", ...args]);

  expect((await run("from watch order by sku")).stdout).toBe(
    'sku,target_price,note\r\n0001,,""\r\nsku-0001,19.90,a; b\r\n',
  );
  const joined = await run("select sku, selling_price from latest join watch using (sku)");
  expect(joined.stdout).toBe("sku,selling_price\r\nsku-0001,15\r\n");
  const other = await run(`from read_csv('${list}.other')`);
  expect(other).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining("Cannot access file") });
});

test("--with can be given several times, once for each name, and -o replaces none of its files", async () => {
  const list = join(await temporaryFolder(onEnd), "list.csv");
  await writeFile(list, "sku\n0001\n");
  const run = (...args: string[]) => runInProcess(["sql", "from one, two", folder, "--with", `one=${list}`, ...args]);

  expect((await run("--with", `two=${list}`, "-f", "csv")).stdout).toBe("sku,sku_1\r\n0001,0001\r\n");
  expect(await run("--with", `One=${list}`)).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining(
      "names an existing table; the tables are rows, latest, prices_daily, changes, days, combinations, one.",
    ),
  });
  expect(await run("--with", `two=${list}`, "-o", list)).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("would replace a file that this command reads"),
  });
});

test.each([
  ["sku,color\n#12,red\n#13,blue\n14,green\n", "sku,color\r\n#12,red\r\n#13,blue\r\n14,green\r\n"],
  ["n,text\n1,'a'\n2,'b'\n", "n,text\r\n1,'a'\r\n2,'b'\r\n"],
  ["a\tb\n1|2\t\n", "a,b\r\n1|2,\r\n"],
  ['\ufeffa; a ;A;\r\n"x\n""";" y";;\r\n', 'a,a_1,A_2,column3\r\n"x\n""", y,,\r\n'],
  ["sku\n\n1\n", "sku\r\n1\r\n"],
  ["sku\n", "sku\r\n"],
])("--with has each line and text of %j", async (content, expected) => {
  const list = join(await temporaryFolder(), "list.csv");
  await writeFile(list, content);
  const { code, stdout } = await runInProcess(["sql", "from t", folder, "--with", `t=${list}`, "-f", "csv"]);
  expect({ code, stdout }).toEqual({ code: EXIT.ok, stdout: expected });
});

test.each([
  ["sku,note\n1,a\n2\n3,b\n", ":3: expected 2 fields, found 1"],
  ["sku,note\n1,a,x\n2,b,x\n", ":2: expected 2 fields, found 3"],
  ["sku\n\u00e9\n", ":2: expected UTF-8 text, found bytes that are not UTF-8"],
  ['sku\n"1\n', ':2: expected a closing quote for "\\"1\\n", found the end of the file'],
  ["PAR1", " is a Parquet file, not CSV"],
  ["", ":1: expected a header with the names of columns, found nothing"],
])("--with refuses %j and names the line", async (content, message) => {
  const list = join(await temporaryFolder(), "list.csv");
  await writeFile(list, content, "latin1");
  expect(await runInProcess(["sql", "from t", folder, "--with", `t=${list}`])).toMatchObject({
    code: EXIT.failure,
    stderr: `error: ${list}${message}\n`,
  });
});

test("--with says that a folder is one", async () => {
  expect(await runInProcess(["sql", "from t", folder, "--with", `t=${folder}`])).toMatchObject({
    code: EXIT.failure,
    stderr: `error: ${folder}: it is a folder, not a file\n`,
  });
});

test.each([
  ["list.csv", EXIT.usage, "is not a name and a file; write watch=list.csv."],
  ["Rows=list.csv", EXIT.usage, "names an existing table"],
  ["watch=none.csv", EXIT.notFound, "none.csv: no such file"],
])("--with %s is refused", async (table, expected, message) => {
  const { code, stderr } = await runInProcess(["sql", "select 1", folder, "--with", table]);
  expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(message) });
});

test("a table escapes control characters in the names of columns, which may be crawled", async () => {
  const query = "pivot (select 'a\x1b[31m\nb' as title) on title using count(*)";
  const { stdout } = await runInProcess(["sql", query, folder, "-f", "table"]);
  expect(stdout).toBe("a\\x1b[31m\\nb\n────────────\n           1\n");
});

test("a table shows intervals, lists and structs as DuckDB prints them", async () => {
  const query = "select age(date '2026-03-05', date '2026-01-01') as age, [1, 2] as list, {a: 1} as struct";
  const { stdout } = await runInProcess(["sql", query, folder, "-f", "tsv"]);
  expect(stdout).toBe("age\tlist\tstruct\n2 months 4 days\t[1, 2]\t{'a': 1}\n");
});

test.each([
  [1_000, "1,000 rows"],
  [5_000, "the first 1,000 of 5,000; -f ndjson or -o FILE has them all"],
  [1_000_000_000_000, "the first 1,000 of more than 100,000; -f ndjson or -o FILE has them all"],
])("a table of %i rows on a terminal says how many there are", async (rows, note) => {
  const args = ["sql", `from range(${rows})`, folder];
  const { code, stdout, stderr } = await runInProcess(args, { columns: 80, env: { PAGER: "cat" } });
  expect({ code, stdoutLines: stdout.trimEnd().split("\n").length }).toEqual({ code: EXIT.ok, stdoutLines: 2 + 1_000 });
  expect(stderr).toContain(note);
});
