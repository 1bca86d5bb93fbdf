import { expect, test } from "vitest";
import { FORMATS, formatOfFile, ROW_FORMATS } from "../../../src/export/formats/registry.ts";
import { encoded } from "./encoded.ts";

test.each([
  ["rows.ndjson", { format: "ndjson", compression: undefined }],
  ["rows.jsonl", { format: "ndjson", compression: undefined }],
  ["/data/2026-03-01/rows.csv.gz", { format: "csv", compression: "gzip" }],
  ["ROWS.TSV.ZST", { format: "tsv", compression: "zstd" }],
  ["a.csv.json", { format: "json", compression: undefined }],
  ["rows.gz", { format: undefined, compression: "gzip" }],
  ["rows.xlsx", { format: "xlsx", compression: undefined }],
  ["folder.csv/rows", { format: undefined, compression: undefined }],
  ["csv", { format: undefined, compression: undefined }],
])("the name %s decides format and compression", (name, expected) => {
  expect(formatOfFile(name)).toEqual(expected);
});

test("no two formats have the same ending", () => {
  const endings = ROW_FORMATS.flatMap((format) => FORMATS[format].extensions);
  expect(endings).toEqual([...new Set(endings)]);
});

test.each([
  ["ndjson", /^\{"a":1\}\n$/],
  ["csv", /^a\r\n1\r\n$/],
  ["tsv", /^a\n1\n$/],
  ["json", /^\[\n\{"a":1\}\n\]\n$/],
  ["parquet", /^PAR1[\s\S]*PAR1$/],
  ["xlsx", /^PK/],
] as const)("%s is loaded when it is written", async (format, written) => {
  const types = { a: { kind: "integer", nullable: false } } as const;
  expect(await encoded(format, [['{"a":1}']], { known: ["a"], types })).toMatch(written);
});

test("each format says in one line what it is", () => {
  const lines = ROW_FORMATS.map((format) => FORMATS[format].help);
  expect(new Set(lines.filter((line) => /^\S[^\n]{10,}\S$/.test(line))).size).toBe(ROW_FORMATS.length);
});
