import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { parquetRows } from "../helpers/parquet-files.ts";
import { product } from "../helpers/products.ts";
import { servedFolder, syncedFolder } from "../helpers/synced-folder.ts";

/** Prices on the first and the last day of a week. */
const ROWS = [
  { sku: "Lamp-1", retailer: "acme", prices: [20, 15] },
  { sku: "Lamp-1", retailer: "bolt", prices: [20, 16] },
  { sku: "0001", retailer: "acme", prices: [5, 5.5] },
  { sku: "other", retailer: "acme", prices: [9, 1] },
].flatMap(({ prices, ...one }) =>
  prices.map((selling_price, at) =>
    product({ ...one, selling_price, crawl_date: at === 0 ? "2026-01-01" : "2026-01-08" }),
  ),
);
const NOW = Date.parse("2026-01-09T08:00:00Z");

const onEnd = afterAllTests();
let [folder, home] = ["", ""];
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
  home = await temporaryFolder(onEnd);
});

async function listOf(...lines: string[]): Promise<string> {
  const file = join(home, "list.csv");
  await writeFile(file, ["sku,retailer,target_price,note", ...lines, ""].join("\n"));
  return file;
}

test("a list may come through a socket, as it does from many programs", async () => {
  const child = spawn(
    process.execPath,
    [CATALOG, "latest", folder, "--skus", "/dev/stdin", "-f", "csv", "--columns", "sku"],
    {
      env: bareEnvironment(),
      // Node.js makes sockets of its pipes.
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  child.stdin.end("sku\nLamp-1\n");
  expect(await text(child.stdout)).toBe("sku\r\nLamp-1\r\nLamp-1\r\n");
});

async function ask(...args: string[]) {
  const { code, stdout, stderr } = await runInProcess([...args, "-f", "csv"], { now: () => NOW });
  return { code, stderr, rows: stdout.trimEnd().split("\r\n").slice(1) };
}

const LINES = ["lamp-1,,15.00,desk", "0001,acme,,"];
const OWN = "retailer,sku,target_price,target_met,note";

test.each([
  [["latest"], OWN, ["acme,0001,,,", "acme,Lamp-1,15,true,desk", "bolt,Lamp-1,15,false,desk"]],
  [
    ["movers", "--only", "drop,rise"],
    `kind,${OWN}`,
    ["drop,acme,Lamp-1,15,true,desk", "drop,bolt,Lamp-1,15,false,desk", "rise,acme,0001,,,"],
  ],
  [["diff", "--only", "changed"], OWN, ["acme,0001,,,", "acme,Lamp-1,15,true,desk", "bolt,Lamp-1,15,false,desk"]],
  [["history", "--date", "2026-01-08"], OWN, ["acme,0001,,,", "acme,Lamp-1,15,true,desk", "bolt,Lamp-1,15,false,desk"]],
  [["latest", "--group-by", "retailer"], "retailer,products", ["acme,2", "bolt,1"]],
])("%s --skus is about the products of the list, with what the list says of them", async (command, columns, rows) => {
  const list = await listOf(...LINES);
  expect(await ask(...command, folder, "--skus", list, "--columns", columns)).toEqual({ code: 0, stderr: "", rows });
});

describe("skus that are spelt unusually", () => {
  const SPELT = [" SP ", "o", "\u0391\u03a3", "\u0130 1"];
  let spelt: string;
  beforeAll(async () => {
    const left = product({ sku: "left", crawl_date: "2025-12-01" });
    spelt = await syncedFolder([...SPELT.map((sku) => product({ sku, crawl_date: "2026-01-08" })), left], onEnd);
  });

  test.each([
    [[], [" SP ", "left", "o", "\u0391\u03a3", "\u0130 1"]],
    [["--gone"], ["left"]],
  ])("are those of a list that latest %j writes", async (flags, skus) => {
    const file = join(home, "written.csv");
    await runInProcess(["latest", spelt, ...flags, "-o", file], { now: () => NOW });
    const { rows, stderr } = await ask("latest", spelt, "--skus", file, "--columns", "sku");
    expect({ rows: new Set(rows), stderr }).toEqual({ rows: new Set(skus), stderr: "" });
  });

  test.each([
    ["\u0391\u03a3", "\u03b1\u03c3"],
    ["\u0130 1", "i 1"],
  ])("are refused if two lines mean one product only by DuckDB's letters: %s and %s", async (one, other) => {
    const file = await listOf(`${one},,,`, `${other},acme,,`);
    expect(await ask("latest", spelt, "--skus", file)).toEqual({
      ...{ code: EXIT.failure, rows: [] },
      stderr: `error: ${file}:3: expected each product once, found "${other}", which line 2 already lists for every retailer; keep one of the two lines\n`,
    });
  });
});

test("a price is compared with its target exactly, and an unknown one is not", async () => {
  const list = await listOf("lamp-1,bolt,16,", "lamp-1,acme,14.9999,");
  expect((await ask("latest", folder, "--skus", list, "--columns", "sku,retailer,target_met")).rows).toEqual([
    "Lamp-1,acme,false",
    "Lamp-1,bolt,true",
  ]);
  const before = ["--from", "2026-01-01", "--to", "2026-01-02", "--strict-days"];
  const gone = await ask("diff", folder, ...before, "--skus", list, "--columns", "change,target_price,target_met");
  expect(gone.rows).toEqual(["vanished,14.9999,", "vanished,16,"]);
});

test("a table shows what the list says, in columns that are not empty", async () => {
  const table = async (list: string) => {
    const { stdout } = await runInProcess(["latest", folder, "--skus", list, "-f", "table"], { now: () => NOW });
    return stdout
      .split("\n")
      .find((line) => /^title/.test(line))
      ?.trim()
      .split(/ {2,}/);
  };
  expect(await table(await listOf(...LINES))).toEqual([
    ...["title", "retailer", "sku", "price", "target", "met", "note", "seen", "days old", "discount %", "mrp"],
  ]);
  expect(await table(await listOf("0001,acme,,"))).not.toContain("target");
});

test("lines of which the folder has no row are named", async () => {
  const list = await listOf(...LINES, "none,,1,", "0001,bolt,,", "lamp-1x,acme,,");
  expect(await ask("latest", folder, "--skus", list)).toMatchObject({
    code: 0,
    stderr: 'warning: no row for 3 products on the list: "none", "0001" of bolt, "lamp-1x" of acme\n',
  });
});

test("two lines that may mean one product are refused", async () => {
  const list = await listOf("lamp-1,,15,", "LAMP-1,acme,14,");
  expect(await ask("movers", folder, "--skus", list)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("list.csv:3: expected each product once"),
  });
});

test.each([
  ["--columns", "sku,target_met", "--columns names target_met, which only --skus FILE gives."],
  ["--sort", "target_price:desc", "--sort names target_price, which only --skus FILE gives."],
  ["--fail-if", "count>1 and target_price<=9", "--fail-if names target_price, which only --skus FILE gives."],
  ["--fail-if", "target_met = 1", '--fail-if has no field "target_met"'],
])("%s %s without a list is refused", async (flag, value, message) => {
  expect(await ask("latest", folder, flag, value)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test("the SQL of --show-sql has the list", async () => {
  const list = await listOf("lamp-1,,15,'desk'");
  const { stdout } = await runInProcess(["latest", folder, "--skus", list, "--show-sql"]);
  const run = await runInProcess(["sql", "-", folder, "-f", "csv"], { stdin: stdout });
  expect({ code: run.code, stdoutLines: run.stdout.trimEnd().split("\r\n").length }).toEqual({
    code: 0,
    stdoutLines: 3,
  });
  expect(stdout).toContain(
    `'[{"line":"2","own_retailer":"","own_sku":"lamp-1","quantity":"1","target_price":"15","note":"''desk''"}]'`,
  );
});

describe("export --skus", () => {
  /** Exports from a service of all rows. */
  async function exported(...args: string[]) {
    const { env } = await servedFolder(ROWS);
    return await runInProcess(["export", ...args], { env, cwd: home });
  }

  test("writes the rows of the list alone, with what it says of them", async () => {
    const list = await listOf(...LINES, "none,,1,");
    const { code, stdout, stderr } = await exported(
      ...["--skus", list, "-f", "csv", "--date", "2026-01-08", "--columns", OWN, "--page-size", "1"],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'warning: no row for 1 product on the list: "none"\n' });
    expect(stdout.trimEnd().split("\r\n").slice(1).sort()).toEqual([
      ...["acme,0001,,,", "acme,Lamp-1,15,true,desk", "bolt,Lamp-1,15,false,desk"],
    ]);
  });

  test("has these columns in each format, at the end of unchanged rows", async () => {
    const list = await listOf("0001,,6,'x'");
    const { stdout } = await exported("--skus", list, "--date", "2026-01-08");
    const row = ROWS.find(({ sku, crawl_date }) => sku === "0001" && crawl_date === "2026-01-08");
    expect(stdout).toBe(`${JSON.stringify({ ...row, target_price: 6, target_met: true, note: "'x'" })}\n`);

    const file = join(home, "own.parquet");
    expect(await exported("--skus", list, "--date", "2026-01-08", "-o", file)).toMatchObject({ code: 0 });
    expect(await parquetRows(file)).toMatchObject([{ sku: "0001", target_price: 6, target_met: true, note: "'x'" }]);
  });

  test("of a list without a row ends with 7 if that is asked for", async () => {
    const list = await listOf("none,,1,");
    expect(await exported("--skus", list, "--fail-on-empty")).toMatchObject({
      code: EXIT.empty,
      stdout: "",
      stderr: expect.stringMatching(/error: none of the \d+ rows is of a product on the list/),
    });
  });

  test.each([
    [["--manifest", "-o", "a.csv"], "--skus leaves out rows, so it cannot be combined with --manifest"],
    [["--max-rows", "1"], "so it cannot be combined with --max-rows"],
  ])("refuses %j with a list", async (flags, message) => {
    const list = await listOf(...LINES);
    expect(await exported("--skus", list, ...flags)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
    expect(await exported("--columns", "sku,note")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--columns names note, which only --skus FILE gives."),
    });
  });

  test("suggests no column of a list without one", async () => {
    expect(await exported("--columns", "sku,price")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean selling_price?\n"),
    });
  });
});
