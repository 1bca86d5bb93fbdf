import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Product } from "../../../src/contract/product.ts";
import { RowError } from "../../../src/files/content-error.ts";
import { loadRows } from "../../../src/service/load/load-rows.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { startCatalog, temporaryFolder } from "../../helpers/cli.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { product, products } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";
import { load, loadContent, testStore, walk } from "../store/stores.ts";

const ROW = JSON.stringify(product());

test("numbers keep their digits and strings their escapes, whatever the order of the fields", async () => {
  const written = ROW.replace('"mrp":20', '"mrp":19.90')
    .replace('"selling_price":15', '"selling_price":9007199254740993')
    .replace('"Title of sku-1"', '"caf\\u00e9 \\"\\ud83d\\ude00\\/"');
  const shuffled = `{ "currency" :\t"EUR" , ${written.replace('"currency":"EUR",', "").slice(1)}`;
  const store = await testStore();
  await loadLines(store, [shuffled]);
  expect(await walk(store)).toEqual([written]);
});

test("a byte order mark, blank lines, Windows line ends and a missing last line end change no rows", async () => {
  const store = await testStore();
  const result = await loadContent(store, `\ufeff\n\r\n${ROW}\r\n  \n${JSON.stringify(product({ sku: "sku-2" }))}`);
  expect(result).toEqual({ added: 2, alreadyPresent: 0, removed: 0, unknownCurrencies: [] });
});

test("a source in chunks of one byte gives the same rows as in one piece", async () => {
  const store = await testStore();
  const text = `${JSON.stringify(product({ title: "é😀\u0000" }))}\n${JSON.stringify(product({ sku: "😀" }))}\n`;
  await loadContent(store, text, { name: "standard input", size: 1 });
  expect((await walk(store)).map((row) => `${row}\n`).join("")).toEqual(text);
});

test("gzip is recognised by its content and may have several members", async () => {
  const path = join(await temporaryFolder(), "rows.ndjson");
  const members = products(2).map((row) => gzipSync(`${JSON.stringify(row)}\n`));
  await writeFile(path, Buffer.concat(members));
  const store = await testStore();
  await loadRows(store, { name: path, path });
  expect(await walk(store)).toEqual(products(2).map((row) => JSON.stringify(row)));
});

test("a row that is already in the database or the source is counted and not added", async () => {
  const store = await testStore();
  await load(store, [product()]);
  const result = await loadLines(store, [
    ROW,
    JSON.stringify(product({ sku: "sku-2" })),
    ROW.replace(":20,", ":20.0,"),
  ]);
  expect(result).toEqual({ added: 1, alreadyPresent: 2, removed: 0, unknownCurrencies: [] });
  expect(await walk(store)).toHaveLength(2);
});

test("the same product_id with other values is refused, and the stored row stays", async () => {
  const store = await testStore();
  await load(store, [product({ product_id: "p" })]);
  const other = product({ product_id: "p", title: "Another" });
  const facts = await errorIn(loadLines(store, [JSON.stringify(product({ sku: "new" })), JSON.stringify(other)]));
  expect(facts).toEqual({
    line: 2,
    field: "title",
    found: '"Another"',
    expected: '"Title of sku-1" as in the row with the same product_id p (--replace replaces that row)',
  });
  const twice = [product({ product_id: "q" }), { ...other, product_id: "q" }].map((row) => JSON.stringify(row));
  expect((await errorIn(loadLines(store, twice))).expected).toBe(
    '"Title of sku-1" as in the row with the same product_id q',
  );
  expect(await walk(store)).toEqual([JSON.stringify(product({ product_id: "p" }))]);
});

test("a changed row is refused after hundreds of others that are only spelt differently, all on one line", async () => {
  const store = await testStore();
  const rows = products(250, { title: "Stuhl, grün" });
  await load(store, rows);
  const respelt = (row: Product) => JSON.stringify(row).replace("ü", "\\u00fc").replaceAll('","', '", "');
  const array = (all: readonly Product[]) => `[${all.map(respelt).join(", ")}]`;
  const changed = { ...product(), ...rows.at(-1), selling_price: 1 };

  expect((await errorIn(loadContent(store, array([...rows.slice(0, -1), changed])))).field).toBe("selling_price");
  expect(await loadContent(store, array(rows))).toEqual({
    added: 0,
    alreadyPresent: 250,
    removed: 0,
    unknownCurrencies: [],
  });
});

test("two long numbers that are one double are different values", async () => {
  const store = await testStore();
  const priced = (digits: string) => ROW.replace(":20,", `:${digits},`);
  await loadLines(store, [priced("9007199254740993")]);

  const facts = await errorIn(loadLines(store, [priced("9007199254740992")]));
  expect(facts).toMatchObject({ field: "mrp", found: "9007199254740992" });
  expect(facts.expected).toContain("9007199254740993 as in the row");
  expect(await loadLines(store, [priced("9007199254740993.0")])).toMatchObject({ added: 0, alreadyPresent: 1 });
});

test.each([
  ["no JSON", "{oops", undefined, "{oops", "a JSON object"],
  ["no object", "[1]", undefined, "[1]", "a JSON object"],
  ["a missing field", ROW.replace('"brand":"Brand",', ""), "brand", "none", "a value"],
  [
    "a field of its own",
    ROW.replace("{", '{"price":1,'),
    "price",
    "a field of this name",
    "only the fields of the contract",
  ],
  ["a field twice", ROW.replace("{", '{"mrp":1,'), "mrp", "the field twice", "each field once"],
  ["a field twice, once in escapes", ROW.replace("{", '{"\\u006drp":1,'), "mrp", "the field twice", "each field once"],
  ["a price in quotes", ROW.replace(":20,", ':"20",'), "mrp", '"20"', "a number"],
  ["a price without end", ROW.replace(":20,", ":1e999,"), "mrp", "1e999", "a number"],
  ["a null title", ROW.replace('"Title of sku-1"', "null"), "title", "null", "a string"],
  ["a colour that is no text", ROW.replace('"color":null', '"color":7'), "color", "7", "a string or null"],
  ["an empty sku", ROW.replace('"sku":"sku-1"', '"sku":""'), "sku", '""', "a string that is not empty"],
  [
    "a date of no calendar",
    ROW.replace('"2026-01-15"', '"2026-02-30"'),
    "crawl_date",
    '"2026-02-30"',
    "a calendar date written YYYY-MM-DD",
  ],
  ["a relative URL", ROW.replace("https://shop.example/p/", "/p/"), "url", '"/p/sku-1"', "an absolute URL (WHATWG)"],
  [
    "an image that is no URL",
    ROW.replace("https://shop.example/i.jpg", "i.jpg"),
    "image_url",
    '"i.jpg"',
    "an absolute URL (WHATWG) or nothing",
  ],
  [
    "a slug with a colon",
    ROW.replace('"acme"', '"ac:me"'),
    "retailer",
    '"ac:me"',
    "a slug of at most 200 bytes without white space, comma, colon or control characters",
  ],
  [
    "a currency in small letters",
    ROW.replace("EUR", "eur"),
    "currency",
    '"eur"',
    "a currency code of three capital letters (ISO 4217)",
  ],
  ["half a character", ROW.replace("Title", "\\ud83d"), "title", '"\\ud83d of sku-1"', "whole characters"],
  [
    "terminal control",
    ROW.replace('"acme"', '"\u009b\u202e 2"'),
    "retailer",
    '"\\x9b\\u202e 2"',
    "a slug of at most 200 bytes without white space, comma, colon or control characters",
  ],
])("a row with %s is named by line and field", async (_name, text, field, found, expected) => {
  const facts = await errorIn(loadLines(await testStore(), [ROW, "", text]));
  expect(facts).toEqual({ line: 3, found, expected, ...(field !== undefined && { field }) });
});

test("an error about bytes that are not UTF-8 names their line", async () => {
  const bytes = Buffer.concat([Buffer.from(`${ROW}\n${ROW}\n`), Buffer.from([0xc3, 0x28, 10]), Buffer.from(ROW)]);
  const facts = await errorIn(loadContent(await testStore(), bytes));
  expect(facts).toEqual({ line: 3, found: "bytes that are not UTF-8", expected: "UTF-8 text" });
});

test("a line that never ends is refused before it fills the memory", async () => {
  const endless = (async function* () {
    for (;;) {
      yield Buffer.alloc(1024 * 1024, "{");
    }
  })();
  const facts = await errorIn(loadRows(await testStore(), { name: "rows.ndjson", stream: endless }));
  expect(facts).toEqual({ line: 1, found: "a longer line", expected: "a line of at most 4194304 bytes" });
});

test("a row longer than 32,000 bytes is refused, and the error names its longest field", async () => {
  const store = await testStore();
  const long = JSON.stringify(product({ title: "é".repeat(16_000) }));
  expect(await errorIn(loadLines(store, [ROW, long]))).toEqual({
    line: 2,
    field: "title",
    found: "a value of 32002 bytes",
    expected: "a row of at most 32000 bytes",
  });
});

test("a source with one bad row changes nothing", async () => {
  const store = await testStore();
  await load(store, products(3));
  const many = products(2000, { retailer: "other" }).map((row) => JSON.stringify(row));
  const loading = loadLines(store, [...many, "{}"]);
  await expect(loading).rejects.toThrow("2001: product_id: expected a value, found none");
  expect(await walk(store)).toEqual(products(3).map((row) => JSON.stringify(row)));
  expect(await loadLines(store, many)).toEqual({ added: 2000, alreadyPresent: 0, removed: 0, unknownCurrencies: [] });
});

test("an interrupted load changes nothing and rejects with the reason", async () => {
  const store = await testStore();
  const controller = new AbortController();
  const reason = new Error("interrupted");
  const text = products(2000).map((row) => `${JSON.stringify(row)}\n`);
  const onProgress = () => controller.abort(reason);
  const loading = loadContent(store, text.join(""), { signal: controller.signal, onProgress });
  await expect(loading).rejects.toBe(reason);
  expect(await walk(store)).toEqual([]);
});

test("after a killed load, the database has its earlier rows", async () => {
  const database = join(await temporaryFolder(), "rows.db");
  const store = await testStore(database);
  await load(store, products(3));
  const loader = startCatalog(["service", "load", "-", "--database", database]);
  await writeBeyondPipe(loader, products(9000, { retailer: "other", title: "x".repeat(500) }));
  loader.kill("SIGKILL");
  expect(await once(loader, "exit")).toEqual([null, "SIGKILL"]);
  expect(await walk(store)).toEqual(products(3).map((row) => JSON.stringify(row)));
  expect(await load(store, products(4))).toEqual({ added: 1, alreadyPresent: 3, removed: 0, unknownCurrencies: [] });
});

test("while a load waits for a pipe, a key can be revoked, and the rows are added when the pipe ends", async () => {
  const database = join(await temporaryFolder(), "rows.db");
  const service = await startTestService({ database });
  const loader = startCatalog(["service", "load", "-", "--database", database]);
  await writeBeyondPipe(loader, products(600, { title: "x".repeat(500) }));

  const revoked = await runInProcess(["service", "keys", "revoke", "all", "--database", database]);
  const { status } = await service.get("/v1/coverage");
  loader.stdin?.end();
  const [code] = await once(loader, "exit");

  expect({ revokedCode: revoked.code, status, code }).toEqual({ revokedCode: 0, status: 401, code: 0 });
  expect(await walk(service.store)).toHaveLength(600);
});

/** Writes far more than the pipe holds. The rest waits until the loader reads. */
async function writeBeyondPipe({ stdin }: ChildProcess, rows: readonly Product[]): Promise<void> {
  for (const row of rows) {
    if (stdin?.write(`${JSON.stringify(row)}\n`) === false) {
      await once(stdin, "drain");
    }
  }
}

function loadLines(store: Store, lines: readonly string[]) {
  return loadContent(store, `${lines.join("\n")}\n`);
}

async function errorIn(loading: Promise<unknown>) {
  const error = await loading.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RowError);
  return (error as RowError).facts;
}
