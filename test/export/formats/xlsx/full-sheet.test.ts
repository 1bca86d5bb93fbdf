import { expect, test } from "vitest";
import { UsageError } from "../../../../src/contract/errors.ts";
import { SHEET_PART, SHEET_RELATIONS_PART } from "../../../../src/export/formats/xlsx/workbook-parts.ts";
import { createXlsxEncoder } from "../../../../src/export/formats/xlsx/xlsx.ts";
import { batchOf } from "../../../../src/rows/scan.ts";
import { partsOf, workbookOf } from "./workbook-of.ts";

test("an address stays text after the last link that a sheet can hold, and this is reported", async () => {
  const told: string[] = [];
  const known = ["url", "image_url"];
  const rows = Array.from(
    { length: 32_766 },
    (_, row) => `{"url":"https://shop.example/${row}","image_url":"https://cdn.example/${row}"}`,
  );
  const parts = await partsOf(await workbookOf([rows], { known, links: true, onLoss: (loss) => told.push(loss) }));
  const [sheet = "", relations = ""] = [SHEET_PART, SHEET_RELATIONS_PART].map((name) => parts.get(name));
  const links = sheet.match(/<hyperlink [^>]*/g) ?? [];
  const targets = relations.match(/ Target="[^"]*"/g) ?? [];
  expect([links.length, targets.length, ...new Set(told)]).toEqual([65_530, 65_530, "link"]);
  expect({ lastLink: links.at(-1), lastTarget: targets.at(-1) }).toEqual({
    lastLink: '<hyperlink ref="B32766" r:id="rId65530"/',
    lastTarget: ' Target="https://cdn.example/32764"',
  });
  expect(sheet).toMatch(/<c r="A32767"[^>]*><is><t>https:\/\/shop\.example\/32765</);
});

test("a sheet takes as many rows as it can hold, and one more is refused", async () => {
  const known = ["empty"];
  const encoder = createXlsxEncoder({ known });
  const row = '{"empty":null}';
  const rows = batchOf(Array(9_709).fill(row), known);
  for (let batch = 0; batch < 108; batch += 1) {
    await encoder.encode(rows);
  }
  await encoder.encode(batchOf([row, row, row], known));
  await expect(encoder.encode(batchOf([row], known))).rejects.toStrictEqual(
    new UsageError(
      "a sheet of xlsx holds at most 1,048,575 rows below its header, and there are more; write csv, or ask for fewer rows or columns",
      { flag: "--format", value: "xlsx" },
    ),
  );
});
