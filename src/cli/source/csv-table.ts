import { FileError, NotFoundError } from "../../contract/errors.ts";
import { plural } from "../../contract/values/phrases.ts";
import { ContentError, contentFlaw, RowError, shown } from "../../files/content-error.ts";
import { type CsvPart, type CsvRecord, readCsvRecords } from "../../files/csv-records.ts";
import { headerFlaw } from "../../files/header-flaw.ts";
import { limited, type ReadLimit } from "../../files/read-text.ts";
import { KIND_IN_WORDS, openContent } from "../../files/source-content.ts";
import { spreadsheetTextReader } from "../../files/spreadsheet-text.ts";
import { readLines } from "../../files/utf8-lines.ts";

/** A line of a table that a user wrote. */
export interface CsvLine {
  /** From 1. */
  line: number;
  /** The trimmed text of a cell; undefined if the cell is empty or absent. */
  cell(column: string): string | undefined;
  /** Like `cell`, without the protection that `--excel` gives a text. */
  text(column: string): string | undefined;
  /** @throws RowError */
  refuse(column: string, text: string, expected: string): never;
}

interface CsvTable {
  name: string;
  /** What the file should be; follows `is a Parquet file; ` and `no such file or folder; `. */
  kind: string;
  required: readonly string[];
  optional: readonly string[];
  ignored: readonly string[];
  hint?: string;
}

const LIMIT: ReadLimit = {
  maxBytes: 16 * 1024 * 1024,
  tooLongError: () => new ContentError("is larger than 16 MiB; write a smaller file"),
};

/**
 * Reads a table that a user wrote: CSV with a header, columns in any order, any separator.
 *
 * @throws NotFoundError if there is no file
 * @throws FileError naming the line and what was expected, also for a RowError or ContentError of `read`
 */
export async function readCsvTable(
  chunks: AsyncIterable<Uint8Array>,
  table: CsvTable,
  read: (line: CsvLine) => void,
): Promise<void> {
  try {
    const { kind, chunks: content } = await openContent(chunks);
    if (kind !== "text") {
      throw new ContentError(`is ${KIND_IN_WORDS[kind]}; ${table.kind}`);
    }
    await readRecords(limited(content, LIMIT), table, read);
  } catch (error) {
    if (error instanceof NotFoundError) {
      throw new NotFoundError(`${error.message}; ${table.kind}`);
    }
    const flaw = contentFlaw(table.name, error);
    throw flaw === undefined ? error : new FileError(flaw, table.name, error);
  }
}

async function readRecords(
  chunks: AsyncIterable<Uint8Array>,
  table: CsvTable,
  read: (line: CsvLine) => void,
): Promise<void> {
  let lineOf: ((record: CsvRecord) => CsvLine) | undefined;
  for await (const part of readCsvRecords(readLines(chunks))) {
    for (const record of part.records) {
      if (lineOf === undefined) {
        lineOf = lineReader(record, part, table);
      } else {
        read(lineOf(record));
      }
    }
  }
  if (lineOf === undefined) {
    throw new RowError({ line: 1, expected: `a header with ${columnsText(table.required)}`, found: "nothing" });
  }
}

function lineReader(header: CsvRecord, { isMarked }: CsvPart, table: CsvTable): (record: CsvRecord) => CsvLine {
  const { required, optional, hint } = table;
  const columns = header.fields.map((field) => field?.trim().toLowerCase() ?? "");
  const flaw = headerFlaw(columns, table);
  if (flaw !== undefined) {
    const more = optional.length === 0 ? "" : ` and optionally ${optional.join(", ")}`;
    const expected = `${columnsText(required)}${more}`;
    throw new RowError({ line: header.line, expected, found: flaw, ...(hint !== undefined && { hint }) });
  }
  const textOf = spreadsheetTextReader(isMarked);
  return ({ line, fields }) => {
    if (fields.length !== columns.length) {
      throw new RowError({ line, expected: plural(columns.length, "field"), found: `${fields.length}` });
    }
    const cell = (column: string) => fields[columns.indexOf(column)]?.trim() || undefined;
    return {
      line,
      cell,
      text: (column) => {
        const written = cell(column);
        return written && textOf(written, line, column);
      },
      refuse: (field, text, expected) => {
        throw new RowError({ line, field, expected, found: shown(JSON.stringify(text)) });
      },
    };
  };
}

function columnsText(names: readonly string[]): string {
  return `the column${names.length === 1 ? "" : "s"} ${names.join(" and ")}`;
}
