import { expect, test } from "vitest";
import { jsonCell } from "../../../../src/output/terminal/tables/cell.ts";

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
