import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { writeXlsx } from "hucre/xlsx";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { LIMITS, ROW_BOUNDS } from "../../src/contract/limits.ts";
import { PRODUCT_COLUMNS, type Product } from "../../src/contract/product.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { hostileParquetFiles } from "../helpers/hostile-parquet.ts";
import { idlePipe } from "../helpers/idle-pipe.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { onceEach } from "../helpers/once-each.ts";
import { product } from "../helpers/products.ts";
import { sharedService, startTestService, type TestService } from "../helpers/service.ts";

/** Resolves when a load has created its database, so that it waits for its input. */
async function untilCreated(database: string): Promise<void> {
  const isThere = (): Promise<boolean> =>
    access(database).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere, { timeout: 10_000 }).toBe(true);
}

test.each([
  ["SIGINT", "standard input", async (): Promise<string> => "-", EXIT.interrupted, "error: interrupted\n"],
  ["SIGTERM", "a named pipe", idlePipe, EXIT.terminated, "error: terminated\n"],
] as const)("%s ends a load that waits for %s", async (signal, _, input, code, message) => {
  const database = join(await temporaryFolder(), "rows.db");
  const child = startCatalog(["service", "load", await input(), "--database", database]);
  const ended = Promise.all([text(child.stderr as Readable), once(child, "close")]);
  await untilCreated(database);

  child.kill(signal);

  expect(await ended).toEqual([message, [code, null]]);
});

test("--max-time ends a load that waits for its input", async () => {
  const args = ["service", "load", "-", "--database", ":memory:", "--max-time", "200ms"];

  expect(await runInProcess(args, { stdin: new PassThrough() })).toMatchObject({
    code: EXIT.unavailable,
    stderr: expect.stringContaining("not done within the --max-time"),
  });
});

test("a load waits for the writer of a named pipe", async () => {
  const pipe = join(await temporaryFolder(), "rows.pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  const load = runInProcess(["service", "load", pipe, "--database", ":memory:"]);

  await writeFile(pipe, `${JSON.stringify(product())}\n`);

  expect(await load).toMatchObject({ code: EXIT.ok, stderr: expect.stringContaining("1 row added") });
});

/** Loads rows as a file. */
async function loadFile(name: string, content: string | Buffer) {
  const folder = await temporaryFolder();
  const [file, database] = [join(folder, name), join(folder, "rows.db")];
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, name.endsWith(".gz") ? gzipSync(content) : content);
  return { database, loaded: await runInProcess(["service", "load", file, "--database", database]) };
}

/** The same, and exports them from a service on the same database. */
async function loadAndExport(name: string, content: string, format = "ndjson") {
  const { database, loaded } = await loadFile(name, content);
  const service = await startTestService({ database });
  const exported = await runInProcess(["export", "-f", format], { service });
  return { loaded, exported };
}

test("addresses that no URI allows are served as they were crawled", async () => {
  const url = "https://shop.example/POCO-C65-(6/128GB)-|-100-%-[^`{}]\\ é b";
  const image_url = 'https://img.example/%zz|"<>.jpg';
  const text = `${JSON.stringify(product({ url, image_url }))}\n`;

  const { loaded, exported } = await loadAndExport("rows.ndjson", text);

  expect({ code: loaded.code, exported }).toEqual({
    code: EXIT.ok,
    exported: { code: EXIT.ok, stdout: text, stderr: "" },
  });
});

const { numberCharacters, slugBytes, rowBytes } = ROW_BOUNDS;
const LONGEST = product({ title: "" });
const room = rowBytes - JSON.stringify(LONGEST).length;

/** JSON text of a row with a price of this many characters. */
const priced = (characters: number) => JSON.stringify(product()).replace(":20,", `:0.${"9".repeat(characters - 2)},`);

test("rows at each bound are loaded, served and exported", async () => {
  const rows = [
    priced(numberCharacters),
    ...[
      {
        sku: "sku-2",
        retailer: "r".repeat(slugBytes),
        category: "é".repeat(slugBytes / 2),
        department: "%".repeat(slugBytes),
      },
      { sku: "sku-3", title: "x".repeat(room) },
      { sku: "sku-4", product_id: "p".repeat(20_000) },
      { sku: "sku-5", crawl_date: "0001-01-01" },
      { sku: "sku-6", crawl_date: "9999-12-31" },
    ].map((values) => JSON.stringify(product(values))),
  ];
  const { loaded, exported } = await loadAndExport("rows.ndjson", `${rows.join("\n")}\n`);

  expect({ loadedStderr: loaded.stderr, code: exported.code, exportedStderr: exported.stderr }).toEqual({
    loadedStderr: expect.stringContaining("6 rows added"),
    code: EXIT.ok,
    exportedStderr: "",
  });
  expect(exported.stdout.trimEnd().split("\n").toSorted()).toEqual(rows.toSorted());
  expect(rows.map((row) => row.length)).toContain(rowBytes);
});

test("a full page of the longest rows is served and exported", async () => {
  const rows = Array.from({ length: LIMITS.pageSize.maximum }, (_, index) =>
    JSON.stringify({
      ...LONGEST,
      product_id: LONGEST.product_id.slice(0, -3) + String(index).padStart(3, "0"),
      title: "x".repeat(room),
    }),
  );
  const { exported } = await loadAndExport("rows.ndjson", `${rows.join("\n")}\n`);

  expect(exported).toMatchObject({ code: EXIT.ok, stdout: `${rows.join("\n")}\n` });
});

test.each([
  ["a number", "mrp", "a number of at most 1000 characters, found 1001 characters", priced(numberCharacters + 1)],
  [
    "a slug",
    "category",
    "a slug of at most 200 bytes",
    JSON.stringify(product({ category: `${"é".repeat(slugBytes / 2)}x` })),
  ],
  ["a row", "title", "a row of at most 32000 bytes", JSON.stringify({ ...LONGEST, title: "x".repeat(room + 1) })],
])("%s above its bound is refused by name", async (_what, field, expected, row) => {
  const { loaded } = await loadFile("rows.ndjson", `${row}\n`);

  expect(loaded).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining(`rows.ndjson:1: ${field}: expected ${expected}`),
  });
});

test("an exported CSV is loaded with its empty texts and its nulls, and exported as the same bytes", async () => {
  const colours = [null, "", " ", '""', "null", ",", "a\nb"];
  const rows = colours.map((color, index) =>
    JSON.stringify(product({ sku: `sku-${index}`, color, brand: index === 1 ? "" : "Brand" })),
  );
  const text = `${rows.join("\n")}\n`;
  const { exported } = await loadAndExport("rows.ndjson", text, "csv");

  const again = await loadAndExport("rows.csv", exported.stdout);

  expect(exported.stdout).toContain(',EUR,"",https:');
  expect(exported.stdout).toContain(",EUR,,https:");
  expect(again.exported.stdout).toBe(text);
});

const ROWS = ["0007", "-5 % off", "'=1+1", '="x"', "1,5", "caf\u00e9 \u{1f600}", 'a "b"', "plain"].map((title, index) =>
  product({
    sku: `00${index}`,
    title,
    brand: index === 3 ? "" : "Brand",
    color: ["", null, "red", "MAR-10"][index % 4] ?? null,
    mrp: [19.9, 20, 1e-7][index % 3] ?? 0,
  }),
);

const exporting = sharedService({ rows: ROWS });
const exportedRows = onceEach(async () => rowsOf(await exporting()));

async function rowsOf(service: TestService): Promise<unknown[]> {
  const { stdout } = await runInProcess(["export"], { service });
  return stdout
    .trimEnd()
    .split("\n")
    .map((row) => JSON.parse(row));
}

test.each([
  ...["csv", "tsv", "csv.gz", "ndjson", "ndjson.gz", "json", "json.gz", "xlsx", "parquet"].map((ending) => [ending]),
  ["csv", "--excel"],
  ["tsv", "--excel"],
  ["csv", "--bom"],
])("what export wrote as %s %j is loaded as it was", async (ending, ...flags) => {
  const folder = await temporaryFolder();
  const [file, database] = [join(folder, `rows.${ending}`), join(folder, "rows.db")];
  const service = await exporting();
  expect(await runInProcess(["export", "-o", file, ...flags], { service })).toMatchObject({ code: EXIT.ok });

  const { code, stderr } = await runInProcess(["service", "load", file, "--database", database]);

  expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: expect.stringContaining("8 rows added") });
  expect(await rowsOf(await startTestService({ database }))).toEqual(await exportedRows());
});

test("a cell of a workbook that no column of its header names is refused", async () => {
  const folder = await temporaryFolder();
  const cells = Object.values(product());
  const rows = [[...PRODUCT_COLUMNS], cells, [...cells, null, "beyond"]];
  await writeFile(join(folder, "rows.xlsx"), await writeXlsx({ sheets: [{ name: "rows", rows }] }));

  expect(
    await runInProcess(["service", "load", "./rows.xlsx", "--database", ":memory:"], {
      cwd: folder,
    }),
  ).toMatchObject({ code: EXIT.failure, stderr: expect.stringContaining(":3: expected 17 cells, found 19") });
});

const HEADER = PRODUCT_COLUMNS.join(",");
const [FIRST, SECOND] = ["p1", "p2"].map((product_id) => JSON.stringify(product({ product_id, sku: product_id })));
/** The values of FIRST, as a line of CSV. */
const record = (values: Partial<Product> = {}, delimiter = ",") =>
  Object.values({ ...product({ product_id: "p1", sku: "p1" }), ...values }).join(delimiter);

test.each([
  ["rows.csv", `${HEADER.replaceAll(",", ";")}\r\n${record({}, ";").replace(";20;", ";19,90;")}\r\n`, '"mrp":19.90,'],
  ["rows.csv", `${HEADER.replaceAll(",", "\t")}\n${record({}, "\t")}\n`, '"mrp":20,'],
  ["rows.csv", `${HEADER.replaceAll(",", "|")}\n${record({}, "|")}\n`, '"mrp":20,'],
  ["rows.json", `[\n${FIRST},\n${SECOND}]\n`, '"sku":"p1"'],
  ["rows.ndjson", `\ufeff [${FIRST}]`, '"sku":"p1"'],
  ["rows.json", JSON.stringify([product({ title: '[{"\\' })], undefined, 2), '"title":"[{\\"\\\\"'],
  ["rows.json", "[]", undefined],
  ["category=m%C3%BCsli.csv/category=m%C3%BCsli/rows.csv", csvWithout("category"), '"category":"müsli"'],
  ["brand=Nestl%C3%A9%20%26%20Co/rows.ndjson", FIRST?.replace('"brand":"Brand",', "") ?? "", '"brand":"Nestlé & Co"'],
  ["discount_pct=0.0/rows.csv", csvWithout("discount_pct"), '"discount_pct":0.0'],
  ["color=__HIVE_DEFAULT_PARTITION__/rows.csv", csvWithout("color"), '"color":null'],
  ["retailer=acme/rows.csv", `${HEADER}\n${record()}\n`, '"retailer":"acme"'],
])("%s is loaded: %j", async (name, text, expected) => {
  const { loaded, exported } = await loadAndExport(name, text);

  expect({ code: loaded.code, stdout: exported.stdout }).toEqual({
    code: EXIT.ok,
    stdout: expected === undefined ? "" : expect.stringContaining(expected),
  });
});

function csvWithout(column: string): string {
  const names = PRODUCT_COLUMNS.filter((name) => name !== column);
  return `${names.join(",")}\n${names.map((name) => product()[name]).join(",")}\n`;
}

test.each([
  ["rows.xls", "", "cannot be loaded; use NDJSON, JSON, CSV, TSV, xlsx or Parquet"],
  ["rows.zip", "", "cannot be loaded; use NDJSON"],
  ["rows", "PK\u0003\u0004", "cannot be read as an Excel file: "],
  ["rows.csv", "PK\u0003\u0004", "is an Excel file or a ZIP archive, not CSV"],
  ["rows.csv.gz", "PAR1", "is a Parquet file, not CSV"],
  ["rows.csv", "PAR1", "is a Parquet file, not CSV"],
  ["rows.ndjson", gzipSync(`${FIRST}\n`).subarray(0, -9), "is damaged gzip data (Z_BUF_ERROR)"],
  ["rows.parquet", `${HEADER}\n`, "is text, not Parquet"],
  ["rows.parquet", "", "is empty"],
  ["rows.xlsx", "", "is empty"],
  ["rows.constructor", "PAR1", "cannot be read as Parquet: "],
  ["rows.csv", Buffer.from(`\ufeff${HEADER}`, "utf16le"), "is UTF-16 text; write it as UTF-8"],
  [
    "rows.csv",
    `${HEADER.replaceAll(",", ";")}\n${record({}, ";").replace(";20;", ";1,299;")}`,
    ':2: mrp: expected a number, found "1,299"',
  ],
  ["rows.csv", 'naziv,cijena\nTea,1.29\nCheese 1/2",3.90\n', ":1: expected the 17 columns"],
  [
    "rows.csv",
    `${HEADER}\n${record({ sku: '"=""0007"""' })}\n${record({ sku: "0008" })}\n`,
    ":3: sku: expected either all texts",
  ],
  [
    "rows.ndjson",
    `${FIRST}\n${SECOND?.replace(":20,", ":NaN,")}`,
    ":2: mrp: expected a number, found NaN at character",
  ],
  [
    "rows.ndjson",
    `${FIRST},\n${SECOND}`,
    ":1: expected a JSON object alone on the line, found a comma after it at character",
  ],
  [
    "rows.json",
    JSON.stringify(product(), undefined, 2),
    ":1: expected a JSON object on one line, found one that continues on the next line; `jq -c . FILE`",
  ],
  ["rows.ndjson", `${FIRST} x`, ":1: expected a JSON object, found {"],
  ["rows.json", `[${FIRST},\n]`, ":2: expected {, found ]"],
  ["rows.json", `[${FIRST}\n${SECOND}]`, ":2: expected , or ], found {"],
  ["rows.json", `[${FIRST},\n\n{"product_id":"p2"`, ":3: expected }, found the end of the file"],
  ["rows.json", `[\n{"product_id":"p2"}, {"a":`, ":2: sku: expected a value, found none"],
  ["rows.json", `[${FIRST}] x`, ":1: expected the end of the file, found x"],
  [
    "crawl_date=2020-01-01/rows.ndjson",
    `${FIRST}`,
    ':1: crawl_date: expected "2020-01-01" as the folder crawl_date=… says, found "2026-01-15" in the file',
  ],
  ["mrp=21/rows.ndjson", `${FIRST}`, ":1: mrp: expected 21 as the folder mrp=… says, found 20 in the file"],
  ["discount_pct=no/rows.csv", csvWithout("discount_pct"), ':2: discount_pct: expected a number, found "no"'],
])("%s is refused as what it is: %j", async (name, text, message) => {
  const { loaded } = await loadFile(name, text);

  expect(loaded).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining(`${name}${message.startsWith(":") ? "" : " "}${message}`),
  });
});

test("service load --help lists the columns", async () => {
  const { stdout } = await runInProcess(["service", "load", "--help"], { columns: 200 });
  for (const column of PRODUCT_COLUMNS) {
    expect(stdout).toContain(column);
  }
});

test("a file of Polars, whose default is zstd, is loaded", async () => {
  const file = join(import.meta.dirname, "../service/load/files/polars-default-zstd.parquet");
  expect(await runInProcess(["service", "load", file, "--database", ":memory:"])).toMatchObject({
    code: EXIT.ok,
    stderr: expect.stringContaining("3 rows added"),
  });
});

test("Parquet files that held or ended other readers are refused, plain and compressed", async () => {
  const folder = await temporaryFolder();
  const [plain, packed] = [join(folder, "rows.parquet"), join(folder, "rows.parquet.gz")];
  for (const bytes of hostileParquetFiles()) {
    await Promise.all([writeFile(plain, bytes), writeFile(packed, gzipSync(bytes))]);
    for (const file of [plain, packed]) {
      const args = ["service", "load", file, "--database", join(folder, "catalog.db")];
      expect(await runInProcess(args)).toMatchObject({
        code: EXIT.failure,
        stderr: expect.stringContaining(`error: ${file}`),
      });
    }
  }
});

test("rows with an unknown currency code are loaded as they were crawled, with one warning", async () => {
  const folder = await temporaryFolder();
  const [file, database] = [join(folder, "rows.ndjson"), join(folder, "rows.db")];
  const rows = ["ZZZ", "EUR", "ZZZ", "QQQ"].map((currency, index) => product({ product_id: `p${index}`, currency }));
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

  const { code, stderr } = await runInProcess(["service", "load", file, "--database", database]);

  expect({ code, stderr }).toEqual({
    code: EXIT.ok,
    stderr: `warning: ${file}: unknown currency codes (ISO 4217): ZZZ, QQQ; rows with them were loaded unchanged.\n${file}: 4 rows added\n`,
  });

  await writeFile(file, JSON.stringify(product({ product_id: "p0", currency: "XQX" })));
  const refused = await runInProcess(["service", "load", file, "--database", database]);
  expect(refused).toMatchObject({ code: EXIT.failure, stderr: expect.not.stringContaining("were loaded") });
});
