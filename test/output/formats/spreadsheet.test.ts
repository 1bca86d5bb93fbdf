import { expect, test } from "vitest";
import { textForSpreadsheet } from "../../../src/output/formats/csv.ts";

test.each([
  "0062355309",
  "123456789012345678",
  "1E5",
  "1e-05",
  "3/4",
  "12-24",
  "12:30",
  "1,234.50",
  "TRUE",
  "MAR-10",
  "1MAY",
])("%s stays text in a cell, and becomes no number, date or boolean", (text) => {
  expect(textForSpreadsheet(text)).toBe(`="${text}"`);
});

test.each(["2026-01-31", "NW-000017", "a=b", "marble", "mayonnaise", "12 lamps", "", "Lamp; red", "décor 10"])(
  "%j stays as it is",
  (text) => {
    expect(textForSpreadsheet(text)).toBe(text);
  },
);

test.each([
  ["=1+1", "'=1+1"],
  ["-1", "'-1"],
  ["＝1", "'＝1"],
  ["\t=1", "\t'=1"],
  [";=1+1", ";'=1+1"],
  ["Lamp;=1+1", "Lamp;'=1+1"],
  ['Lamp; "@SUM(A1)', "Lamp; \"'@SUM(A1)"],
  ["|=1", "|'=1"],
])("%j, a formula in some locale, becomes %j", (text, written) => {
  expect(textForSpreadsheet(text)).toBe(written);
});
