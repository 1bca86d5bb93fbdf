import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ZipFile } from "yazl";
import type { EncoderOptions } from "../../../../src/export/formats/encoder.ts";
import { XLSX } from "../../../../src/export/formats/xlsx/xlsx.ts";
import { temporaryFolder } from "../../../helpers/cli.ts";
import { openPaths } from "../../../helpers/durability.ts";
import { rejectionOf } from "../../faults.ts";
import { workbookOf } from "./workbook-of.ts";
import "../loaded.ts";

async function readBack(path: string, columns: readonly string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of XLSX.read({ path, content: () => createReadStream(path) }, columns)) {
    rows.push(row);
  }
  return rows;
}

async function written(rows: readonly object[], options: Partial<EncoderOptions>): Promise<string> {
  const path = join(await temporaryFolder(), "rows.xlsx");
  await writeFile(path, await workbookOf([rows.map((row) => JSON.stringify(row))], options));
  return path;
}

test("the chosen columns of a sheet are read as texts, and a null is absent", async () => {
  const known = ["sku", " a<b ", "title", "mrp", "day", "flag"];
  const rows = [
    { sku: "1", " a<b ": "x", title: ' "é" <&>\n_x0041_\u0001_ &amp; ', mrp: 19.5, day: "2026-01-31", flag: true },
    { sku: "2", " a<b ": "y", title: "", mrp: null, day: "1999-12-31", flag: false },
    { sku: "3", " a<b ": "z", title: "<v>7</v>", mrp: -1, day: "1800-01-01", flag: null },
  ];
  const path = await written(rows, { known, kinds: { day: "date" } });
  expect(await readBack(path, ["flag", "title", "day", "mrp", " a<b ", "no such"])).toStrictEqual([
    { flag: "1", title: ' "é" <&>\n_x0041_\u0001_ &amp; ', day: "2026-01-31", mrp: "19.5", " a<b ": "x" },
    { flag: "0", title: "", day: "1999-12-31", " a<b ": "y" },
    { title: "<v>7</v>", day: "1800-01-01", mrp: "-1", " a<b ": "z" },
  ]);
  await vi.waitFor(() => expect(openPaths(path)).toEqual([]));
});

test("columns beyond Z are read, and a row below 9 is told from one that begins with its digit", async () => {
  const known = Array.from({ length: 60 }, (_, index) => `c${index}`);
  const rows = Array.from({ length: 12 }, (_, row) =>
    Object.fromEntries(known.map((name) => [name, `${name} ${row}`])),
  );
  const path = await written(rows, { known });
  const wanted = ["c0", "c25", "c26", "c51", "c52", "c59"];
  expect(await readBack(path, wanted)).toEqual(
    rows.map((_, row) => Object.fromEntries(wanted.map((name) => [name, `${name} ${row}`]))),
  );
});

test("an archive without a sheet is refused, and closed", async () => {
  const path = join(await temporaryFolder(), "rows.xlsx");
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from("text"), "other.xml");
  archive.end();
  await once(archive.outputStream.pipe(createWriteStream(path)), "close");
  expect(await rejectionOf(readBack(path, ["sku"]))).toEqual(new Error("it has no xl/worksheets/sheet1.xml"));
  await vi.waitFor(() => expect(openPaths(path)).toEqual([]));
});
