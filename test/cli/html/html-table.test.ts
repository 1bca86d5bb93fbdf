import { expect, test } from "vitest";
import { html } from "../../../src/cli/html/html-document.ts";
import { type HtmlColumn, htmlTable, TABLE_STYLE } from "../../../src/cli/html/html-table.ts";

const COLUMNS: readonly HtmlColumn<{ name: string; rows: number }>[] = [
  { heading: "name <b>", kind: "", cell: ({ name }) => name },
  { heading: "rows", kind: "count", cell: ({ rows }) => html`<b>${String(rows)}</b>` },
  { heading: "", kind: "chart", cell: () => "" },
];

test("a table has a heading for each column and a row for each item, with its text escaped", () => {
  const items = [
    { name: "a&b", rows: 1 },
    { name: "c", rows: 2 },
  ];
  expect(htmlTable(COLUMNS, items, 'the "rows"').markup).toBe(
    '<div class="scroll" tabindex="0" role="region" aria-label="the &quot;rows&quot;"><table><thead><tr>' +
      '<th scope="col" class="">name &lt;b&gt;</th><th scope="col" class="count">rows</th><td></td></tr></thead>\n' +
      '<tbody><tr><td class="" data-label="name &lt;b&gt;"><span>a&amp;b</span></td>' +
      '<td class="count" data-label="rows"><span><b>1</b></span></td>' +
      '<td class="chart" data-label=""><span></span></td></tr>\n' +
      '<tr><td class="" data-label="name &lt;b&gt;"><span>c</span></td>' +
      '<td class="count" data-label="rows"><span><b>2</b></span></td>' +
      '<td class="chart" data-label=""><span></span></td></tr>\n</tbody></table></div>',
  );
});

test("a caption is above the headings", () => {
  expect(htmlTable([], [], "rows", "all <rows>").markup).toBe(
    '<div class="scroll" tabindex="0" role="region" aria-label="rows"><table>' +
      "<caption>all &lt;rows&gt;</caption><thead><tr></tr></thead>\n<tbody></tbody></table></div>",
  );
});

test("on a narrow screen a row is a block whose cells have their headings", () => {
  expect(TABLE_STYLE).toMatch(/@media \(max-width: 40rem\) \{[^@]*content: attr\(data-label\)/);
});
