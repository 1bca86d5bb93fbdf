import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { LIMITS, ROW_BOUNDS } from "../../src/contract/limits.ts";
import { runCatalog, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { hostileParquetFiles } from "../helpers/hostile-parquet.ts";
import { idlePipe } from "../helpers/idle-pipe.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** Starts the built tool with a stdin that sends nothing, and waits until it has created its database. */
async function loadFromIdleInput(...flags: string[]) {
  const database = join(await temporaryFolder(), "rows.db");
  const child = startCatalog(["service", "load", "-", "--database", database, ...flags]);
  const closed = once(child, "close");
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  const isThere = () =>
    stat(database).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere, { timeout: 10_000 }).toBe(true);
  return { child, ended: async () => [...(await closed), stderr] };
}

test.each([
  ["SIGINT", EXIT.interrupted, "error: interrupted\n"],
  ["SIGTERM", EXIT.terminated, "error: terminated\n"],
] as const)("the first %s ends a load that waits for its input", async (signal, code, message) => {
  const { child, ended } = await loadFromIdleInput();

  child.kill(signal);

  expect(await ended()).toEqual([code, null, message]);
});

test("--max-time ends a load that waits for its input", async () => {
  const child = startCatalog(["service", "load", "-", "--database", ":memory:", "--max-time", "500ms"]);
  const [stderr] = (await once(child.stderr ?? child, "data")) as [Buffer];

  expect(String(stderr)).toContain("not done within the --max-time");
  expect(await once(child, "close")).toEqual([EXIT.unavailable, null]);
});

test("SIGTERM ends a load that waits for a named pipe", async () => {
  const database = join(await temporaryFolder(), "rows.db");
  const child = startCatalog(["service", "load", await idlePipe(), "--database", database]);
  const ended = once(child, "close");
  await expect
    .poll(
      () =>
        access(database).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);

  child.kill("SIGTERM");

  expect(await ended).toEqual([EXIT.terminated, null]);
});

test("--max-time ends a load that waits for a named pipe", async () => {
  const child = startCatalog(["service", "load", await idlePipe(), "--database", ":memory:", "--max-time", "500ms"]);

  expect(await once(child, "close")).toEqual([EXIT.unavailable, null]);
});

test("a load waits for the writer of a named pipe", async () => {
  const pipe = join(await temporaryFolder(), "rows.pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  const load = runInProcess(["service", "load", pipe, "--database", ":memory:"]);

  await writeFile(pipe, `${JSON.stringify(product())}\n`);

  expect(await load).toMatchObject({ code: EXIT.ok, stderr: expect.stringContaining("1 row added") });
});

/** Loads rows as a file, and exports them from a service on the same database. */
async function loadAndExport(name: string, text: string, format = "ndjson") {
  const folder = await temporaryFolder();
  const [file, database] = [join(folder, name), join(folder, "rows.db")];
  await writeFile(file, text);
  const loaded = await runInProcess(["service", "load", file, "--database", database]);
  const service = await startTestService({ database });
  const exported = await runInProcess(["export", "-f", format], { service });
  return { loaded, exported };
}

test("addresses that no URI allows are served as they were crawled", async () => {
  const url = "https://shop.example/POCO-C65-(6/128GB)-|-100-%-[^`{}]\\ é b";
  const image_url = 'https://img.example/%zz|"<>.jpg';
  const text = `${JSON.stringify(product({ url, image_url }))}\n`;

  const { loaded, exported } = await loadAndExport("rows.ndjson", text);

  expect([loaded.code, exported]).toEqual([EXIT.ok, { code: EXIT.ok, stdout: text, stderr: "" }]);
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

  expect([loaded.stderr, exported.code, exported.stderr]).toEqual([
    expect.stringContaining("6 rows added"),
    EXIT.ok,
    "",
  ]);
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

  expect([exported.code, exported.stdout]).toEqual([EXIT.ok, `${rows.join("\n")}\n`]);
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
  const { loaded } = await loadAndExport("rows.ndjson", `${row}\n`);

  expect([loaded.code, loaded.stderr]).toEqual([
    EXIT.failure,
    expect.stringContaining(`rows.ndjson:1: ${field}: expected ${expected}`),
  ]);
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

test.each([
  ["rows.xlsx", "", "Excel files"],
  ["rows.XLS", "", "Excel files"],
  ["rows.tsv.gz", "", "TSV files"],
  ["rows.zip", "", "ZIP archives"],
  ["rows", "PK\u0003\u0004", "Excel files and ZIP archives"],
  ["rows.json", " [{}]", "JSON arrays"],
])("%s is refused with the formats that can be loaded", async (name, text, kind) => {
  const { loaded } = await loadAndExport(name, text);

  expect([loaded.code, loaded.stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining(`${name}: ${kind} cannot be loaded; use NDJSON, CSV or Parquet.`),
  ]);
});

test("Parquet files that held the tool without end are refused, plain and compressed", async () => {
  const folder = await temporaryFolder();
  const [plain, packed] = [join(folder, "rows.parquet"), join(folder, "rows.parquet.gz")];
  let last = "";
  for (const bytes of hostileParquetFiles()) {
    await Promise.all([writeFile(plain, bytes), writeFile(packed, gzipSync(bytes))]);
    for (const file of [plain, packed]) {
      const args = ["service", "load", file, "--database", join(folder, "catalog.db")];
      const { code, stderr } = await runCatalog(args, { timeout: 30_000 });
      expect([code, stderr]).toEqual([EXIT.failure, expect.stringContaining(`error: ${file}`)]);
      last = stderr;
    }
  }
  expect(last).toContain("a column of a row group is not in the file");
});
