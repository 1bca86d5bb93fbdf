import { expect, test } from "vitest";
import {
  jsonCell,
  numberCell,
  percentCell,
  percentOfShare,
  percentText,
} from "../../../../src/cli/terminal/tables/cell.ts";

test.each([
  ["1234567.50", { text: "1,234,567.50", numeric: true }],
  ["-1234", { text: "-1,234", numeric: true }],
  ["999", { text: "999", numeric: true }],
  ["0.123456", { text: "0.123456", numeric: true }],
  ["12345678901234567890", { text: "12,345,678,901,234,567,890", numeric: true }],
  ['"1234567"', { text: "1234567", numeric: false }],
  ['"a\\u001b[2J\\n"', { text: "a\\x1b[2J\\n", numeric: false }],
  ["null", { text: "–", numeric: false, style: "dim" }],
  ["true", { text: "true", numeric: false }],
  ['{"a": 1}', { text: '{"a": 1}', numeric: false }],
])("the JSON %s is shown as %j", (raw, cell) => {
  expect(jsonCell(raw)).toEqual(cell);
});

test.each([
  [12.34, { text: "▲ +12.3", numeric: true, style: "red" }],
  [-12.36, { text: "▼ -12.4", numeric: true, style: "green" }],
  [0, { text: "0.0", numeric: true }],
  [0.04, { text: "+0.0", numeric: true }],
  [-0.04, { text: "-0.0", numeric: true }],
  [-1.5e-14, { text: "-0.0", numeric: true }],
  [undefined, { text: "", numeric: true }],
  [Number.POSITIVE_INFINITY, { text: "", numeric: true }],
])("a change of %s %% is shown as %j", (percent, cell) => {
  expect(percentCell(percent)).toEqual(cell);
});

test("a number that is not known is an empty cell", () => {
  expect([null, undefined, 0].map((value) => numberCell(value).text)).toEqual(["", "", "0"]);
});

test("a share becomes the percentage of its decimal digits", () => {
  expect(percentText(percentOfShare(0.2855))).toBe("28.6");
});
