import { type Compression, withoutCompressionEnding } from "../destination/compression.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { createJsonEncoder, createNdjsonEncoder } from "./json.ts";

/** The formats that rows can be streamed in. */
export type RowFormat = "ndjson" | "csv" | "tsv" | "json" | "parquet" | "xlsx";

interface Format {
  load: () => Promise<(options: EncoderOptions) => RowEncoder>;
  /** File name endings without the dot, the usual one first. */
  extensions: readonly [string, ...string[]];
  /** Its own compression, if it has one. */
  compressedBy?: string;
}

export const FORMATS: Readonly<Record<RowFormat, Format>> = {
  ndjson: { load: async () => createNdjsonEncoder, extensions: ["ndjson", "jsonl"] },
  csv: { load: async () => (await import("./csv.ts")).createCsvEncoder, extensions: ["csv"] },
  tsv: { load: async () => (await import("./csv.ts")).createTsvEncoder, extensions: ["tsv", "tab"] },
  json: { load: async () => createJsonEncoder, extensions: ["json"] },
  parquet: {
    load: async () => (await import("./parquet/parquet.ts")).createParquetEncoder,
    extensions: ["parquet"],
    compressedBy: "Snappy",
  },
  xlsx: {
    load: async () => (await import("./xlsx/xlsx.ts")).createXlsxEncoder,
    extensions: ["xlsx"],
    compressedBy: "ZIP",
  },
};

export const ROW_FORMATS = Object.keys(FORMATS) as readonly RowFormat[];

/** Loads the encoder of a format. Those with a library of their own are loaded only when needed. */
export function loadEncoder(format: RowFormat): ReturnType<Format["load"]> {
  return FORMATS[format].load();
}

/** The format and compression for a file name; `rows.csv.gz` is CSV, compressed with gzip. */
export function formatOfFile(name: string): { format: RowFormat | undefined; compression: Compression | undefined } {
  const { stem, compression } = withoutCompressionEnding(name);
  const extension = /\.([^.]+)$/.exec(stem)?.[1]?.toLowerCase() ?? "";
  const format = ROW_FORMATS.find((candidate) => FORMATS[candidate].extensions.includes(extension));
  return { format, compression };
}

/** The usual file extension of this format. */
export function extensionOf(format: RowFormat): string {
  return FORMATS[format].extensions[0];
}
