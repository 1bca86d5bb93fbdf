import { createReadStream, ReadStream } from "node:fs";
import { ContentError } from "../../files/content-error.ts";
import { readJsonArray, readNdjson } from "../../files/json-records.ts";
import { limited, type ReadLimit } from "../../files/read-text.ts";
import { type ContentKind, KIND_IN_WORDS, openContent } from "../../files/source-content.ts";
import { readLines } from "../../files/utf8-lines.ts";
import { readCsv } from "./read-csv.ts";
import type { SourceRow } from "./row.ts";

/** A file, or a stream such as standard input. The extension of `name` says what its content should be. */
export type LoadSource = { name: string } & ({ path: string } | { stream: AsyncIterable<Uint8Array> });

/** What a file should be, by its extension: the kind of its content, and what people call it. */
const EXTENSIONS = new Map<string, { kind: ContentKind; called: string }>(
  Object.entries({
    ndjson: { kind: "JSON", called: "NDJSON" },
    jsonl: { kind: "JSON", called: "NDJSON" },
    json: { kind: "JSON", called: "JSON" },
    csv: { kind: "text", called: "CSV" },
    tsv: { kind: "text", called: "TSV" },
    tab: { kind: "text", called: "TSV" },
    parquet: { kind: "Parquet", called: "Parquet" },
    xlsx: { kind: "ZIP", called: "an Excel file" },
    xlsm: { kind: "ZIP", called: "an Excel file" },
  }),
);

/** Files that people try to load, but that cannot be. */
const FOREIGN = /\.(?:xls|ods|zip)(?:\.gz|\.zst)?$/i;

const READ_BYTES = 256 * 1024;

/** Maximum size of a workbook, and of a Parquet file that is not read from its path. */
const MAX_BYTES = 256 * 1024 * 1024;

/** @throws ContentError if the extension is that of a format that cannot be loaded */
export function checkExtension(name: string): void {
  if (FOREIGN.test(name)) {
    throw new ContentError("cannot be loaded; use NDJSON, JSON, CSV, TSV, xlsx or Parquet");
  }
}

/**
 * Reads rows in batches. The content tells Parquet, ZIP, JSON and text apart; the extension says whether text is NDJSON or CSV. An
 * extension that contradicts the content is refused only if either is Parquet or ZIP.
 *
 * @throws ContentError
 */
export async function* sourceRows(
  source: LoadSource,
  partition: ReadonlyMap<string, string>,
  signal: AbortSignal,
): AsyncGenerator<SourceRow[]> {
  checkExtension(source.name);
  const input = "path" in source ? createReadStream(source.path, { highWaterMark: READ_BYTES }) : source.stream;
  try {
    const { kind, start, chunks, isCompressed } = await openContent(input);
    checkKind(source.name, kind, start);
    if (kind === "Parquet") {
      const { readParquet } = await import("./read-parquet.ts");
      const hint = "; store it uncompressed in a file, which can be read in parts";
      const copied = limited(chunks, limitOf("a Parquet file", hint));
      yield* readParquet("path" in source && !isCompressed ? source.path : copied, partition, signal);
    } else if (kind === "ZIP") {
      const { readWorkbook } = await import("./read-xlsx.ts");
      yield* readWorkbook(limited(chunks, limitOf("an Excel file")), partition);
    } else if (start === "[") {
      yield* readJsonArray(chunks);
    } else if (kind === "JSON" || (formatOf(source.name)?.kind ?? (start === "" ? "JSON" : kind)) === "JSON") {
      yield* readNdjson(chunks);
    } else {
      yield* readCsv(readLines(chunks), partition);
    }
  } finally {
    // Nothing else closes the file if only its first bytes were read.
    if (input instanceof ReadStream) {
      input.destroy();
    }
  }
}

/** @throws ContentError if the content is of another kind than the extension says */
function checkKind(name: string, kind: ContentKind, start: string): void {
  const format = formatOf(name);
  if (format !== undefined && format.kind !== kind && (isBinary(format.kind) || isBinary(kind))) {
    throw new ContentError(
      start === ""
        ? "is empty"
        : `is ${KIND_IN_WORDS[kind]}, not ${format.called}; give it the extension of its format`,
    );
  }
}

const isBinary = (kind: ContentKind) => kind === "Parquet" || kind === "ZIP";

function formatOf(name: string) {
  const [, extension = ""] = /\.([a-z]+)(?:\.gz|\.zst)?$/i.exec(name) ?? [];
  return EXTENSIONS.get(extension.toLowerCase());
}

function limitOf(called: string, hint = ""): ReadLimit {
  return {
    maxBytes: MAX_BYTES,
    tooLongError: () => new ContentError(`is ${called} longer than ${MAX_BYTES} bytes${hint}`),
  };
}
