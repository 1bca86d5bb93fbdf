import { array, assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { createIdCheck } from "../../src/rows/id-check.ts";
import { batchOf } from "../../src/rows/scan.ts";

/** Rows of ids that are JSON texts, with other bytes around them. */
const rowsOf = (ids: readonly string[], before = "") =>
  batchOf(ids.map((id) => `{"sku":${JSON.stringify(before)},"product_id":${id}}`));

test("each id is new only once, in one batch and in later ones", () => {
  assert(
    property(array(string({ maxLength: 40 })), (texts) => {
      const inOne = createIdCheck();
      const oneByOne = createIdCheck();
      const ids = texts.map((text) => JSON.stringify(text));
      const seen = new Set<string>();
      const isNew = texts.map((text) => seen.size < seen.add(text).size);
      expect(inOne(rowsOf(ids))).toBe(isNew.indexOf(false));
      expect(ids.map((id) => oneByOne(rowsOf([id])) === -1)).toEqual(isNew);
    }),
    { examples: [[["$`"]]] },
  );
});

test("an id is the same wherever its bytes are, and whatever is around them", () => {
  for (let length = 0; length < 40; length += 1) {
    const check = createIdCheck();
    const id = JSON.stringify("0123456789".repeat(4).slice(0, length));
    const found = ["", "a", "other bytes"].map((before) => check(rowsOf([id], before)));
    expect(found).toEqual([-1, 0, 0]);
  }
});

test.each([
  ['"aé/\u{1f600}"', '"\\u0061\\u00e9\\/\\ud83d\\ude00"'],
  ['"a\\\\u0062"', '"\\u0061\\u005cu0062"'],
  ['"\\""', '"\\u0022"'],
])("%s and %s are the same id", (one, other) => {
  expect(createIdCheck()(rowsOf([one, other]))).toBe(1);
  expect(createIdCheck()(rowsOf([other, one]))).toBe(1);
});

test.each([
  ['"a\\\\u0062"', '"a\\u0062"'],
  ['"é"', '"\\u00c3\\u00a9"'],
  ['"ab"', '"ba"'],
  ['""', '"\\u0000"'],
])("%s and %s are two ids", (one, other) => {
  expect(createIdCheck()(rowsOf([one, other]))).toBe(-1);
  expect(createIdCheck()(rowsOf([other, one]))).toBe(-1);
});

test("many ids are distinguished and found again", () => {
  const check = createIdCheck();
  const ids = Array.from({ length: 5_000 }, (_, number) => `"id-${number}"`);
  expect(check(rowsOf(ids))).toBe(-1);
  expect(ids.filter((id) => check(rowsOf([id])) === -1)).toEqual([]);
});
