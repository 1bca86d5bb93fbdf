import { type Compression, withoutCompressionEnding } from "./compression.ts";
import { createCsvEncoder, createTsvEncoder } from "./csv.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { createJsonEncoder } from "./json.ts";
import { createNdjsonEncoder } from "./ndjson.ts";
import { createParquetEncoder } from "./parquet.ts";

/** The formats that rows can be streamed in. */
export type RowFormat = TextFormat | "parquet";
export type TextFormat = "ndjson" | "csv" | "tsv" | "json";

interface Format {
  createEncoder: (options: EncoderOptions) => RowEncoder;
  /** File name endings, without the dot. */
  extensions: readonly string[];
}

export const FORMATS = {
  ndjson: { createEncoder: createNdjsonEncoder, extensions: ["ndjson", "jsonl"] },
  csv: { createEncoder: createCsvEncoder, extensions: ["csv"] },
  tsv: { createEncoder: createTsvEncoder, extensions: ["tsv", "tab"] },
  json: { createEncoder: createJsonEncoder, extensions: ["json"] },
  parquet: { createEncoder: createParquetEncoder, extensions: ["parquet"] },
} as const satisfies Record<RowFormat, Format>;

export const ROW_FORMATS = Object.keys(FORMATS) as readonly RowFormat[];

export function createEncoder(format: RowFormat, options: EncoderOptions): RowEncoder {
  return FORMATS[format].createEncoder(options);
}

/** What a file's name says of its content; `rows.csv.gz` is CSV, compressed with gzip. */
export function formatOfFile(name: string): { format: RowFormat | undefined; compression: Compression | undefined } {
  const { stem, compression } = withoutCompressionEnding(name);
  const extension = /\.([^.]+)$/.exec(stem)?.[1]?.toLowerCase() ?? "";
  const format = ROW_FORMATS.find((candidate) => extensionsOf(candidate).includes(extension));
  return { format, compression };
}

/** The usual ending of a file of this format. */
export function extensionOf(format: RowFormat): string {
  return FORMATS[format].extensions[0];
}

function extensionsOf(format: RowFormat): readonly string[] {
  return FORMATS[format].extensions;
}
