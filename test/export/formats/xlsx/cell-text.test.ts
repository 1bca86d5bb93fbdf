import { expect, test } from "vitest";
import {
  cellText,
  cutText,
  dateSerial,
  isSheetNumber,
  timestampSerial,
} from "../../../../src/export/formats/xlsx/cell-text.ts";

test("a character that XML lacks is escaped with capital digits", () => {
  expect(cellText("\u001f\ufffe\r_xff_ _x00ff_")).toBe("_x001F__xFFFE__x000D__xff_ _x005F_x00ff_");
});

test("a text is cut after 32,767 characters, wherever it has surrogate pairs before", () => {
  expect(cutText(`😀${"x".repeat(32_766)}`)).toBe(`😀${"x".repeat(32_765)}`);
  expect(cutText(`${"x".repeat(32_765)}😀`)).toBe(`${"x".repeat(32_765)}😀`);
});

test.each([
  ["2026-01-05 00:00:00", 46_027],
  ["2026-01-05 18:00:00.000000", 46_027.75],
  ["x 2026-01-05 12:00:00", undefined],
  ["2026-01-05 12:00:00 x", undefined],
  ["1900-02-28 12:00:00", undefined],
  ["2026-01-05 25:00:00", undefined],
  ["2026-01-05", undefined],
])("the time %s is %s in days", (text, serial) => {
  expect(timestampSerial(text)).toBe(serial);
});

test("days are counted from 1900-03-01, which is 61", () => {
  expect(["1900-03-01", "1900-02-28", "2026-01-05", "x2026-01-05"].map(dateSerial)).toEqual([
    61,
    undefined,
    46_027,
    undefined,
  ]);
});

test.each([
  ["0.000000000000000000", true],
  ["-0e0", true],
  ["2.2250738585072014e-308", true],
  ["9.99999999999999e307", true],
  ["-1e308", false],
  ["1e-309", false],
  ["999999999999999", true],
  ["1234567890123450", true],
  ["1234567890123456", false],
  ["-1234567890123456", false],
])("whether a sheet keeps the number %s: %s", (raw, isKept) => {
  expect(isSheetNumber(raw)).toBe(isKept);
});
