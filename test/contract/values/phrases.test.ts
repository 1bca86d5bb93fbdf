import { expect, test } from "vitest";
import { groupDigits, plural } from "../../../src/contract/values/phrases.ts";

test.each([
  ["", ""],
  ["0", "0"],
  ["100", "100"],
  ["1000", "1,000"],
  ["-100000", "-100,000"],
  ["0.123456", "0.123456"],
  ["-999", "-999"],
  ["-1234567.50", "-1,234,567.50"],
  ["1000e5", "1,000e5"],
  ["12345678901234567890", "12,345,678,901,234,567,890"],
])("%j has groups of three digits: %j", (text, grouped) => {
  expect(groupDigits(text)).toBe(grouped);
});

test("a number of 200,000 digits is shown with all digits", () => {
  expect(groupDigits("9".repeat(200_001)).replaceAll(",", "")).toBe("9".repeat(200_001));
});

test("a count has its noun in the right number", () => {
  expect([plural(0, "row"), plural(1, "row"), plural(1_234, "row")]).toEqual(["0 rows", "1 row", "1,234 rows"]);
});
