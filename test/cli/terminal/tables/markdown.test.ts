import { expect, test } from "vitest";
import { numberCell, textCell } from "../../../../src/cli/terminal/tables/cell.ts";
import { renderMarkdown } from "../../../../src/cli/terminal/tables/table.ts";

test("a Markdown table aligns numbers to the right and ends with the footer", () => {
  const text = renderMarkdown({
    columns: [{ heading: "retailer" }, { heading: "corpus_rows" }],
    rows: [
      [textCell("shop"), numberCell(1234)],
      [textCell("mall"), numberCell(5)],
    ],
    footer: [textCell("total"), numberCell(1239)],
  });
  expect(text).toBe(
    ["| retailer | corpus_rows |", "| --- | ---: |", "| shop | 1,234 |", "| mall | 5 |", "| total | 1,239 |", ""].join(
      "\n",
    ),
  );
});

test.each([
  ["a|b", "a\\|b"],
  ["back\\slash|", "back\\\\slash\\|"],
  ["two\nlines", "two\\\\nlines"],
  ["<img src=x>", "\\<img src=x>"],
  ["&lt; `x` *y* [z](u) ~~w~~", "\\&lt; \\`x\\` \\*y\\* \\[z\\](u) \\~\\~w\\~\\~"],
  ["é_é 1_1 a_ _b -_-", "é_é 1_1 a\\_ \\_b -\\_-"],
  ["_it_ snake_case", "\\_it\\_ snake_case"],
])("%j is escaped as %j", (text, escaped) => {
  expect(renderMarkdown({ columns: [{ heading: "t" }], rows: [[textCell(text)]] })).toBe(
    `| t |\n| --- |\n| ${escaped} |\n`,
  );
});

test("headings are escaped, too, and a column of texts is not aligned to the right", () => {
  expect(renderMarkdown({ columns: [{ heading: "a|b" }, { heading: "n" }], rows: [] })).toBe(
    "| a\\|b | n |\n| --- | --- |\n",
  );
  const mixed = [
    [textCell("x"), textCell("–")],
    [textCell("y"), numberCell(1)],
  ];
  expect(renderMarkdown({ columns: [{ heading: "a" }, { heading: "n" }], rows: mixed })).toBe(
    "| a | n |\n| --- | ---: |\n| x | – |\n| y | 1 |\n",
  );
});
