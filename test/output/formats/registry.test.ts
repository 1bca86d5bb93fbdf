import { expect, test } from "vitest";
import { formatOfFile } from "../../../src/output/formats/registry.ts";

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
