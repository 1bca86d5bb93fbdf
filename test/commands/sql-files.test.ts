import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { copyFolder, FIRST_DAY, syncedFolder } from "../helpers/synced-folder.ts";

/** A synced folder of these titles, one product each. */
const synced = (...titles: readonly string[]) =>
  syncedFolder(titles.map((title, index) => product({ crawl_date: FIRST_DAY, sku: `s${index}`, title })));

const titles = "select title from rows order by sku";

test("a folder whose name is a pattern is read itself, not another one that the pattern matches", async () => {
  const parent = await temporaryFolder();
  const copyTo = async (name: string, title: string) => copyFolder(await synced(title), join(parent, name));
  for (const match of ["a's hard*q?", "{a,b}'s hard*q?", "{a,b}'s ha[r]dxq?", "{a,b}'s ha[r]d*qx", "cd"]) {
    await copyTo(match, "another folder");
  }
  // DuckDB reads no path with a backslash and one of the others.
  for (const name of ["{a,b}'s ha[r]d*q?", "c\\d"]) {
    await copyTo(name, "itself");
    expect(await runInProcess(["sql", titles, join(parent, name), "-f", "ndjson"])).toMatchObject({
      code: 0,
      stderr: "",
      stdout: `${JSON.stringify({ title: "itself" })}\n`,
    });
  }
});

test("a byte order mark at the start of a value stays, in columns and in lists and structures", async () => {
  const folder = await synced("\ufefflamp", "\ufeff", "lamp\ufeff");
  const query = `select title, {'t': title, 'n': 1} as structure, [title] as list, map {title: [title]} as map,
    [title, null]::varchar[2] as pair, row(title) as unnamed from rows order by sku`;
  const { stdout } = await runInProcess(["sql", query, folder, "-f", "ndjson"]);
  const expected = ["\ufefflamp", "\ufeff", "lamp\ufeff"].map((t) => ({
    ...{ title: t, structure: { t, n: 1 }, list: [t], map: [{ key: t, value: [t] }] },
    ...{ pair: [t, null], unnamed: { "": t } },
  }));
  expect(recordsOf(stdout)).toEqual(expected);
});

test("what --show-sql prints runs as a query, and a table of the user's own may have any name of the index", async () => {
  const folder = await synced("lamp");
  const { stdout: sql } = await runInProcess(["latest", folder, "--show-sql"]);
  const shown = await runInProcess(["sql", "-", folder, "-f", "csv"], { stdin: sql });
  expect(shown.stdout).toContain("lamp");
  const list = join(folder, "list.csv");
  await writeFile(list, "day\nnone\n");
  const query = "select title, day from latest, observation";
  const { stdout } = await runInProcess(["sql", query, folder, "--with", `observation=${list}`, "-f", "ndjson"]);
  expect(stdout).toBe('{"title":"lamp","day":"none"}\n');
});

const INDEX_NAMES = [
  "price",
  "price_row",
  "observation",
  "product",
  "listing",
  "day",
  "rare_product",
  "brand",
  "marked",
  "suspect",
];

test.each([
  ["today", "2026-02-01"],
  ["before the newest day", "2026-01-03"],
])("tables of the user change no table of the folder, whatever their names: %s", async (_, today) => {
  const prices = [10, 10, 200, 190].map((selling_price, day) =>
    product({ crawl_date: addDays(FIRST_DAY, day), sku: "s", selling_price }),
  );
  const folder = await syncedFolder(prices);
  const list = join(folder, "list.csv");
  await writeFile(list, "day,selling_price\n1,2\n");
  const own = INDEX_NAMES.flatMap((name) => ["--with", `${name}=${list}`]);
  const now = () => Date.parse(today);
  const query = ["latest", "prices_daily", "changes"]
    .map((table) => `select '${table}' as name, ${table}::varchar as text from ${table}`)
    .join(" union all ");
  const ask = (...args: string[]) =>
    runInProcess(["sql", `${query} order by all`, folder, "-f", "csv", ...args], { now });
  const plain = await ask();
  expect(plain).toMatchObject({ code: EXIT.ok, stdout: expect.stringContaining("latest,") });
  expect(await ask(...own)).toEqual(plain);
  const names = `select ${INDEX_NAMES.map((name) => `(from (select count(selling_price) from ${name}))`).join(" + ")} as n`;
  const counted = await runInProcess(["sql", names, folder, "-f", "csv", ...own], { now });
  expect(counted).toMatchObject({ code: EXIT.ok, stdout: `n\r\n${INDEX_NAMES.length}\r\n` });
});

test("a query reads no other file, not even one of the folder or a day file that was not synced", async () => {
  const folder = await synced("lamp");
  const day = join(folder, `crawl_date=${FIRST_DAY}`, "part-0.parquet");
  const stranger = join(dirname(day), "part-1.parquet");
  await writeFile(stranger, await readFile(day));
  const files = [stranger, join(folder, "*", "*.parquet"), join(folder, ".catalog", "state.json")];
  const calls = files.flatMap((file) => [`read_parquet('${file}')`, `read_text('${file}')`, `glob('${file}')`]);
  for (const call of calls) {
    expect(await runInProcess(["sql", `select * from ${call}`, folder])).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining("Permission Error: Cannot access file"),
    });
  }
});

test.each([
  "copy (select 1) to 'DAY' (format csv, use_tmp_file false)",
  "attach 'DAY' as other",
  "copy rows to 'other.csv'",
  "load httpfs",
  "install httpfs",
  "set threads = 64",
  "call enable_logging()",
  "from enable_logging(storage = 'file', storage_path = 'DAY')",
  'from "enable_logging"()',
  "select 1; select 2",
  "select 1 as a$x$; copy (select 666 as sku) to 'DAY' (format parquet, use_tmp_file false); select 2 as b$x$",
  "select 1 --\r; copy (select 666 as sku) to 'DAY' (format parquet, use_tmp_file false); select 2",
])("%s is refused, and the folder stays as it is", async (statement) => {
  const folder = await synced("lamp");
  const day = join(folder, `crawl_date=${FIRST_DAY}`, "part-0.parquet");
  const before = await readFile(day);
  expect(await runInProcess(["sql", statement.replace("DAY", day), folder])).toMatchObject({
    code: EXIT.usage,
    stdout: "",
    stderr: expect.stringContaining("error: The query cannot be run: "),
  });
  expect(await readFile(day)).toEqual(before);
});

test("logging that a text hides writes no file", async () => {
  const folder = await synced("lamp");
  const day = join(folder, `crawl_date=${FIRST_DAY}`, "part-0.parquet");
  const files = async () => [(await readdir(folder, { recursive: true })).sort(), await readFile(day)];
  const before = await files();
  for (const path of [day, join(folder, "log"), `${day}/log.csv`]) {
    const call = `from query('from enable_lo' || 'gging(storage=''file'', storage_path=''${path}'')')`;
    const { stdout } = await runCatalog(["sql", call, folder]);
    expect(stdout).toBe("");
    expect(await files()).toEqual(before);
  }
});

test("a NUL character does not end a query early", async () => {
  const stdin = "select 1 as one\0 union all select 2";
  expect(await runInProcess(["sql", "-", await synced("lamp")], { stdin })).toMatchObject({
    code: EXIT.usage,
    stdout: "",
    stderr: expect.stringContaining("holds a NUL character"),
  });
});

test("memory, threads and extensions are held as the help says, and no setting can be changed", async () => {
  const query = `select name, value from duckdb_settings() where name in ('memory_limit', 'lock_configuration',
    'enable_external_access', 'autoinstall_known_extensions', 'autoload_known_extensions') order by name`;
  const folder = await synced("lamp");
  const { stdout } = await runInProcess(["sql", query, folder, "-f", "csv"]);
  expect(stdout.split("\r\n").slice(1, -1)).toEqual([
    "autoinstall_known_extensions,false",
    "autoload_known_extensions,false",
    "enable_external_access,false",
    "lock_configuration,true",
    "memory_limit,512.0 MiB",
  ]);
  const threads = await runInProcess(["sql", "select current_setting('threads') as n", folder, "-f", "ndjson"]);
  expect(JSON.parse(threads.stdout).n).toBeLessThanOrEqual(4);
});

/** A query that gives rows at once, one that DuckDB refuses, one that never ends, and a file. */
test.each([
  [["from rows"]],
  [["selec 1"]],
  [["select count(*) from range(1000000000000) numbers(n) where n % 7 = random()"]],
  [["from rows", "-o", "./answer.parquet"]],
])("a damaged day is told before anything else of %j", async ([query = "", ...flags]) => {
  const folder = await synced("lamp", "chair", "table");
  const day = join(folder, `crawl_date=${FIRST_DAY}`, "part-0.parquet");
  const bytes = await readFile(day);
  const damages = [
    // A letter of a title, which DuckDB takes for a value.
    Buffer.from(bytes.toString("latin1").replace("chair", "Chair"), "latin1"),
    // The size of the footer: DuckDB refuses the file.
    Buffer.from(bytes).fill(0xff, bytes.length - 8, bytes.length - 4),
  ];
  for (const damaged of damages) {
    expect(damaged).not.toEqual(bytes);
    await writeFile(day, damaged);
    const cwd = await temporaryFolder();
    const { code, stdout, stderr } = await runInProcess(["sql", query, folder, ...flags], { cwd });
    expect({ code, stdout }).toEqual({ code: EXIT.failure, stdout: "" });
    expect(stderr).toBe(
      `error: ${day} was changed or damaged since the last sync; \`catalog sync ${folder} --verify\` repairs it\n`,
    );
    expect(await readdir(cwd)).toEqual([]);
  }
});
