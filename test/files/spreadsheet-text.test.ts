import fc from "fast-check";
import { expect, test } from "vitest";
import { textForSpreadsheet, textFromSpreadsheet } from "../../src/files/spreadsheet-text.ts";
import { anyText } from "../helpers/texts.ts";

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
  "0",
  "7",
  "1.000,50",
  "1 000",
  "1,5e+10",
  "1E-5",
  "2E10",
  "True",
  "false",
  "FALSE",
  ...["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].flatMap((month) => [
    `5-${month}`,
    `${month} 2026`,
  ]),
  ...["january", "february", "march", "april", "june", "july", "august", "sept", "september", "october"].map(
    (month) => `10 ${month} 2026`,
  ),
  ...["november", "december"].map((month) => `2026/${month}.1`),
  "may5",
  "50%",
  "12,5 %",
  "$5.00",
  "€ 19.90",
  "19,90 €",
  "5 PM",
  "12:30 am",
  "(5)",
  "($1,234.50)",
])("%s stays text in a cell, and becomes no number, date or boolean", (text) => {
  expect(textForSpreadsheet(text)).toBe(`="${text}"`);
});

test.each([
  "2026-01-31",
  "NW-000017",
  "a=b",
  "marble",
  "mayonnaise",
  "12 lamps",
  "",
  "x1",
  "50% off",
  "100% cotton",
  "5 mm",
  "(5) lamps",
  "()",
  "$",
  "%",
  "1e5x",
  "1e",
  "e5",
  "xtrue",
  "truely",
  "falsely",
  "12345may1",
  "1may12345",
  "may12345",
  "xmay1",
  "may",
  "x=1",
  "a'=1",
  "a =1",
  "Lamp; red",
  "décor 10",
])("%j stays as it is", (text) => {
  expect(textForSpreadsheet(text)).toBe(text);
});

test.each([
  ["=1+1", "'=1+1"],
  ["-1", "'-1"],
  ["＝1", "'＝1"],
  ["\t=1", "\t'=1"],
  [";=1+1", ";'=1+1"],
  ["Lamp;=1+1", "Lamp;'=1+1"],
  ['Lamp; "@SUM(A1)', "Lamp; \"'@SUM(A1)"],
  ["|=1", "|'=1"],
  ["a\n=cmd|' /C calc'!A0", "a\n'=cmd|' /C calc'!A0"],
  ['a\r\n"@SUM(A1)', "a\r\n\"'@SUM(A1)"],
  ["a\t=1|+2", "a\t'=1|'+2"],
  ["+1 pcs", "'+1 pcs"],
  ["@x", "'@x"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠x", "'＠x"],
  [" =1", " '=1"],
  ["a\u000b=1\u000c-2\u2029+3", "a\u000b'=1\u000c'-2\u2029'+3"],
  ["a;|'\", =1", "a;|'\", '=1"],
  ["a\u2028=1\u0085-2", "a\u2028'=1\u0085'-2"],
])("%j, a formula in some locale, becomes %j", (text, written) => {
  expect(textForSpreadsheet(text)).toBe(written);
});

test.each([
  ['="1"', "1"],
  ['=""', ""],
  ['x="1"', 'x="1"'],
  ['="1"x', '="1"x'],
  ["''=1", "'=1"],
  ["a'=1", "a'=1"],
  ["'a", "'a"],
])("%j is read back as %j", (written, text) => {
  expect(textFromSpreadsheet(written)).toBe(text);
});

test("a protected text is read back unchanged", () => {
  const parts = fc.constantFrom(
    "=",
    "-",
    "＝",
    "'",
    "''",
    '"',
    ";",
    "|",
    "\t",
    "\n",
    "\u2028",
    " ",
    ",",
    "0",
    "1e5",
    "a",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(parts, { maxLength: 8 }).map((all) => all.join("")),
        anyText(8),
      ),
      (text) => {
        expect(textFromSpreadsheet(textForSpreadsheet(text))).toBe(text);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a long run of separators takes no longer than any text", () => {
  expect(textForSpreadsheet(`${";".repeat(2_000_000)}=1`).endsWith(";'=1")).toBe(true);
});
