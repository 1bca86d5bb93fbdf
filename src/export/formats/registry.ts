import { type Compression, withoutCompressionEnding } from "../destination/compression.ts";
import type { CreateEncoder } from "./encoder.ts";
import { createJsonEncoder, createNdjsonEncoder } from "./json.ts";

/** The formats that rows can be streamed in. */
export type RowFormat = "ndjson" | "csv" | "tsv" | "json" | "parquet" | "xlsx";

interface Format {
  /** The description in `catalog help formats`. */
  help: string;
  /** File name endings without the dot, the usual one first. */
  extensions: readonly [string, ...string[]];
  /** Its own compression, if it has one. */
  compressedBy?: string;
  /** Bytes of a file for each byte of NDJSON, from real rows. */
  share: number;
  /**
   * Loads the function that creates its encoders. A library that only one format needs is loaded with it.
   *
   * @param signal ends the writing of a file
   */
  load: (signal: AbortSignal) => Promise<CreateEncoder>;
}

/** All formats and their properties. */
export const FORMATS: Readonly<Record<RowFormat, Format>> = {
  ndjson: {
    help: "one JSON object a line, each row as the API sent it; every digit is kept",
    extensions: ["ndjson", "jsonl"],
    share: 1,
    load: async () => createNdjsonEncoder,
  },
  csv: {
    help: "RFC 4180 with a header; null is an empty field; every digit is kept",
    extensions: ["csv"],
    share: 0.63,
    load: async () => (await import("./csv.ts")).createCsvEncoder,
  },
  tsv: {
    help: "like csv, separated by tabs",
    extensions: ["tsv", "tab"],
    share: 0.63,
    load: async () => (await import("./csv.ts")).createTsvEncoder,
  },
  json: {
    help: "one JSON array; every digit is kept",
    extensions: ["json"],
    share: 1,
    load: async () => createJsonEncoder,
  },
  parquet: {
    help: "columns with types, compressed inside",
    extensions: ["parquet"],
    compressedBy: "zstd",
    share: 0.18,
    load: async (signal) => (await import("./parquet.ts")).loadParquet(signal),
  },
  xlsx: {
    help: "a sheet for Excel: text stays text, days are dates, --links makes links; at most 1,048,575 rows",
    extensions: ["xlsx"],
    compressedBy: "ZIP",
    share: 0.25,
    load: async () => (await import("./xlsx/xlsx.ts")).createXlsxEncoder,
  },
};

export const ROW_FORMATS = Object.keys(FORMATS) as readonly RowFormat[];

/** Loads the function that creates encoders of a format. @param signal ends the writing of a file */
export async function loadEncoder(format: RowFormat, signal: AbortSignal): Promise<CreateEncoder> {
  return await FORMATS[format].load(signal);
}

/** The format and compression for a file name; `rows.csv.gz` is CSV, compressed with gzip. */
export function formatOfFile(name: string): { format: RowFormat | undefined; compression: Compression | undefined } {
  const { stem, compression } = withoutCompressionEnding(name);
  const extension = /\.([^.]+)$/.exec(stem)?.[1]?.toLowerCase() ?? "";
  const format = ROW_FORMATS.find((candidate) => FORMATS[candidate].extensions.includes(extension));
  return { format, compression };
}
