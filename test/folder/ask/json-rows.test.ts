import fc from "fast-check";
import { expect, test } from "vitest";
import { openDuckDb, sqlText } from "../../../src/files/duckdb.ts";
import { jsonRows } from "../../../src/folder/ask/json-rows.ts";

async function textsOf(sql: string): Promise<string[]> {
  const { signal } = new AbortController();
  await using duckDb = await openDuckDb({ threads: 1, memory: 64 * 1024 ** 2, files: [], signal });
  const texts: string[] = [];
  for await (const chunk of jsonRows(duckDb, sql)) {
    texts.push(...chunk);
  }
  return texts;
}

test("texts and doubles are written as JSON.stringify writes them", async () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
  const texts = [controls, `\\u001B ${controls}`, "\ufeff\ufeffx", 'a"b\\', "\u0085\u2028\u{1F600}\u007f"];
  const numbers = [0, -0, 20, -20.5, 0.1 + 0.2, 1e15, 1e20, 1e21, 1e-6, 1e-7, 1.5e-7, 5e-324, 1.7976931348623157e308];
  const doubles = [...numbers, ...fc.sample(fc.double({ noDefaultInfinity: true, noNaN: true }), 500)];
  const literal = (text: string) => text.split("\0").map(sqlText).join(" || chr(0) || ");
  const rows = [
    ...texts.map((text) => `(${literal(text)}, NULL)`),
    // Digits enough for the same double.
    ...doubles.map((double) => `(NULL, '${double.toExponential()}'::DOUBLE)`),
  ];

  expect(await textsOf(`FROM (VALUES ${rows.join(", ")}) t(text, "a ""number""")`)).toEqual([
    ...texts.map((text) => JSON.stringify({ text, 'a "number"': null })),
    ...doubles.map((double) => JSON.stringify({ text: null, 'a "number"': double })),
  ]);
});

test("numbers keep all digits, and decimals have no trailing zeros", async () => {
  const sql = `SELECT 12345678901234.5600::DECIMAL(18, 4) AS a, 100::DECIMAL(18, 4) AS b, 100::DECIMAL(18, 0) AS c,
    -0.5::DECIMAL(18, 4) AS d, 170141183460469231731687303715884105727::HUGEINT AS e, 9007199254740993 AS f,
    DATE '2026-01-31' AS g, true AS h, NULL::DECIMAL(18, 4) AS i`;
  expect(await textsOf(sql)).toEqual([
    '{"a":12345678901234.56,"b":100,"c":100,"d":-0.5,"e":170141183460469231731687303715884105727,"f":9007199254740993,"g":"2026-01-31","h":true,"i":null}',
  ]);
});

test("what is no number in JSON is a text", async () => {
  const sql = "SELECT 'nan'::DOUBLE AS a, 'infinity'::DOUBLE AS b, '-infinity'::DOUBLE AS c";
  expect(await textsOf(sql)).toEqual(['{"a":"NaN","b":"Infinity","c":"-Infinity"}']);
});
