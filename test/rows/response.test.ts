import { array, assert, constantFrom, integer, json, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { scanResponse } from "../../src/rows/response.ts";
import { answerText, type Dice, mutated } from "../helpers/json-mutations.ts";
import { compareWithParse } from "../helpers/scan-oracle.ts";

/** Rolls what fast-check chose, so that a failure is found again. */
function diceOf(rolls: readonly number[]): Dice {
  let turn = 0;
  return (below) => (below === 0 ? 0 : (rolls[turn++ % rolls.length] ?? 0) % below);
}

const rolls = array(integer({ min: 0, max: 1_000_000 }), { minLength: 20, maxLength: 200 });

describe("the scanner", () => {
  test.each([
    ["", "{", "[", '"', "{}x", "{} {}", "\u00a0{}", "{,}", '{"data":[}]}', '{"data":[{]}}'],
    ['{"data":[{},]}', '{"data":[,{}]}', '{"data":[{"sku"}]}', '{"data":[{"sku":}]}', '{"data":[{"sku":1,}]}'],
    ['{"data":[{"sku":"a\nb"}]}', '{"data":[{"sku":"\\x"}]}', '{"data":[{"sku":"\\u12g4"}]}', '{"data":[{"sku":"a'],
    ["01", "-", "1.", ".1", "1e", "1e+", "+1", "--1", "0x1", "NaN", "Infinity", "tru", "nul", "True"],
  ])("refuses %j and similar texts, like JSON.parse", (...texts) => {
    for (const text of texts) {
      expect(() => JSON.parse(text), text).toThrow(SyntaxError);
      expect(() => scanResponse(Buffer.from(text)), text).toThrow(SyntaxError);
    }
  });

  test.each([
    ['{"meta":"a', '\u0001n"}'],
    ['{"data":[{"sku":"a', '\u0001n"}]}'],
    ['{"data":[{"sku":"abcdefghijklmnop', '\u0001n"}]}'],
    ['{"meta":"\\', 'x0041"}'],
    ['{"meta":"\\u12', 'g4"}'],
    ['{"meta":"\\u12', '"}'],
    ['{"meta":"a', ""],
    ['{"meta":[1 ', "2]}"],
    ['{"meta":[1', "}"],
    ['{"meta":{"a":1', "]}"],
    ['{"meta":{', '1:"a"}}'],
    ['{"meta":{"a":1,', "}}"],
    ['{"meta":1,', "}"],
    ['{"meta":{"a" ', '"b"}}'],
    ['{"meta":1e+', "}"],
    ['{"meta":1e-', "-1}"],
    ['{"meta":1e', "x5}"],
    ['{"data":[{"sku":1 ', '"url":2}]}'],
    ['{"data":[{', 'sku":1}]}'],
    ['{"data":[{"sku":1,', "2}]}"],
    ['{"data":[{}', "}"],
    ['{"data":[{},', "]}"],
    ['{"data":[] ', '"meta":1}'],
    ["{", "'data':1}"],
  ])("names the byte after %j that makes %j no JSON", (before, rest) => {
    const at = Buffer.byteLength(before);
    const found = rest === "" ? "end" : `byte 0x${rest.charCodeAt(0).toString(16).padStart(2, "0")}`;
    expect(() => JSON.parse(before + rest)).toThrow(SyntaxError);
    expect(() => scanResponse(Buffer.from(before + rest))).toThrow(`unexpected ${found} at byte ${at}`);
  });

  test("takes the last value of a repeated name, in any spelling", () => {
    compareWithParse('{"data":[{"sku":1}],"data":[{"sku":1,"s\\u006bu":2,"sku":3}],"meta":1,"met\\u0061":{"a":2}}');
    compareWithParse('{"data":[{"sku":1}],"data":7}');
  });

  test.each(["[]", "7", "null", "{}", '{"meta":1}', '{"data":{}}'])("finds no rows in %s", compareWithParse);

  test("skips a byte order mark", () => {
    expect(scanResponse(Buffer.from('\uFEFF{"data":[]}')).rows.length).toBe(0);
  });

  test("refuses bytes that are not UTF-8", () => {
    expect(() => scanResponse(Buffer.from('{"data":[],"meta":"\xff"}', "latin1"))).toThrow("it is not UTF-8");
  });

  test("accepts nesting of any depth, like JSON.parse", () => {
    const deep = `${'[{"a":'.repeat(100_000)}1${"}]".repeat(100_000)}`;
    const { rows } = scanResponse(Buffer.from(`{"data":[{"sku":${deep},"extra":1}]}`));
    expect(rows.raw(0, PRODUCT_COLUMNS.indexOf("sku"))).toBe(deep);
  });

  test("reports which element is not a row", () => {
    expect(scanResponse(Buffer.from('{"data":[{},7,{}]}')).foreign).toBe(1);
    expect(scanResponse(Buffer.from('{"data":[7]}')).foreign).toBe(0);
    expect(scanResponse(Buffer.from('{"data":[{}]}')).foreign).toBe(-1);
  });

  test("accepts any JSON and finds the same values as JSON.parse", () => {
    assert(property(json(), (text) => compareWithParse(text)));
    assert(property(rolls, (chosen) => compareWithParse(answerText(diceOf(chosen)))));
  });

  test("accepts and refuses what JSON.parse accepts and refuses", () => {
    assert(
      property(rolls, rolls, (chosen, changes) => {
        compareWithParse(mutated(answerText(diceOf(chosen)), diceOf(changes)));
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 2000) },
    );
    assert(property(string({ unit: constantFrom(...'{}[],:"\\ 0-1.eE+tnufalsr\n\u00e9') }), compareWithParse));
  });
});
