import { expect, test } from "vitest";
import { sheetStart } from "../../../../src/export/formats/xlsx/workbook-parts.ts";

test.each([
  ["x".repeat(300), 255],
  ["x".repeat(40), 44],
  ["x", 13],
])("a column has room for its name %s, and is no wider than a sheet allows", (name, width) => {
  expect(Number(/ width="(\d+)"/.exec(sheetStart([{ name, kind: undefined }]))?.[1])).toBe(width);
});
