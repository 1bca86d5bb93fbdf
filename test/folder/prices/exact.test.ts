import fc from "fast-check";
import { expect, test } from "vitest";
import { quotient, scaled, unscaled, withDecimals } from "../../../src/folder/prices/exact.ts";

test.each([
  [0, 2, "0"],
  [19.9, 2, "1990"],
  ["0.10", 1, "1"],
  [1.005, 2, "101"],
  [0.285, 2, "29"],
  [-1.005, 2, "-101"],
  [1e-7, 6, "0"],
  [5e-7, 6, "1"],
  [1.5e21, 2, "150000000000000000000000"],
] as const)("%j in units of 10^-%i is %s", (number, scale, integer) => {
  expect(String(scaled(number, scale))).toBe(integer);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("%s has no digits", (number) => {
  expect(() => scaled(number, 2)).toThrow(RangeError);
});

test("an integer of a decimal is that decimal again", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), fc.integer({ min: 0, max: 9 }), (integer, scale) => {
      const decimal = unscaled(BigInt(integer), scale);
      expect(scaled(decimal, scale)).toBe(BigInt(integer));
      expect(String(decimal)).not.toMatch(/\d{16}/);
    }),
  );
});

test("a quotient has six decimals, rounded half up, and none by 0", () => {
  expect([quotient(200n, 3n), quotient(1n, 2_000_000n), quotient(1n, 2_000_001n), quotient(5n, 0n)]).toEqual([
    66.666667,
    0.000001,
    0,
    undefined,
  ]);
});

test("fewer decimals are rounded by the digits, where the binary value would round the other way", () => {
  expect([1.005, 0.285, 8.345].map((number) => number.toFixed(2))).toEqual(["1.00", "0.28", "8.35"]);
  expect([1.005, 0.285, 8.345, 0, 100, 0.004].map((number) => withDecimals(number, 2))).toEqual([
    ...["1.01", "0.29", "8.35", "0.00", "100.00", "0.00"],
  ]);
});
