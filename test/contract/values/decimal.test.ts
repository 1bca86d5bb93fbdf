import { assert, bigInt, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { isExactDouble, sameNumber } from "../../../src/contract/values/decimal.ts";

describe("two numbers", () => {
  test.each([
    ["19.90", "19.9", true],
    ["1e2", "100.0", true],
    ["0.0", "-0", true],
    ["0.001", "1E-3", true],
    ["12e+1", "120", true],
    ["10000000000000000.1", "10000000000000000.2", false],
    ["1e99999999999999999999", "1e99999999999999999998", false],
    ["100", "10", false],
    ["-1", "1", false],
  ])("%s and %s are the same: %s", (a, b, same) => {
    expect(sameNumber(a, b)).toBe(same);
  });

  test("are equal if their values are equal, independent of the position of the point", () => {
    assert(
      property(bigInt(), integer({ min: 0, max: 30 }), (digits, moved) => {
        expect(sameNumber(String(digits), `${digits}${"0".repeat(moved)}e-${moved}`)).toBe(true);
        expect(sameNumber(String(digits), String(digits + 1n))).toBe(false);
      }),
    );
  });

  test("of 200,000 digits are compared completely", () => {
    const long = "10".repeat(100_000);
    expect(sameNumber(`${long}1`, `${long}2`)).toBe(false);
    expect(sameNumber(`${long}000`, `${long}e3`)).toBe(true);
  });
});

test.each([
  ["0.1", true],
  ["9007199254740993", false],
  ["9007199254740992", true],
  ["1e2", true],
  ["0.30000000000000004", true],
  ["0.300000000000000041", false],
])("%s is a double: %s", (text, isDouble) => {
  expect(isExactDouble(text)).toBe(isDouble);
});
