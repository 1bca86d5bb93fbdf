import { readFileSync } from "node:fs";

/** Parquet files that ended or held the tool until it was mended; fuzzing found them. */
export function hostileParquetFiles(): Buffer[] {
  const lines = readFileSync(new URL("../fuzz/crashes/parquet.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => Buffer.from(line, "base64"));
}
