import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import { FileError } from "../../contract/errors.ts";
import { plural } from "../../contract/values/phrases.ts";
import { uniqueNames } from "../../contract/values/unique-names.ts";
import { ContentError, contentFlaw, RowError } from "../../files/content-error.ts";
import { type CsvField, type CsvRecord, readCsvRecords } from "../../files/csv-records.ts";
import { sqlName } from "../../files/duckdb-texts.ts";
import { readNamedFile } from "../../files/read-text.ts";
import { KIND_IN_WORDS, openContent } from "../../files/source-content.ts";
import { readLines } from "../../files/utf8-lines.ts";

/** A file, and the name of the table that it becomes. */
export interface NamedFile {
  name: string;
  path: string;
}

/**
 * Makes a temporary table of a user's CSV file. All of its columns are texts; a field that is empty and not quoted is NULL.
 * DuckDB's own reader would guess from the rows how the file is written, and leave out lines that do not fit.
 *
 * @throws FileError that names the line
 */
export async function createUserTable(
  connection: DuckDBConnection,
  { name, path }: NamedFile,
  signal: AbortSignal,
): Promise<void> {
  let table: { width: number; appender: DuckDBAppender } | undefined;
  try {
    for await (const { line, fields } of recordsOf(path, signal)) {
      if (table === undefined) {
        const columns = columnNames(fields).map((column) => `${sqlName(column)} VARCHAR`);
        await connection.run(`CREATE TEMP TABLE "${name}" (${columns.join(", ")})`);
        table = { width: fields.length, appender: await connection.createAppender(name, "main", "temp") };
      } else if (fields.length === table.width) {
        append(table.appender, fields);
      } else {
        throw new RowError({ line, expected: plural(table.width, "field"), found: String(fields.length) });
      }
    }
    if (table === undefined) {
      throw new RowError({ line: 1, expected: "a header with the names of columns", found: "nothing" });
    }
    table.appender.flushSync();
  } catch (error) {
    const flaw = contentFlaw(path, error);
    throw flaw === undefined ? error : new FileError(flaw, path, error);
  } finally {
    table?.appender.closeSync();
  }
}

async function* recordsOf(path: string, signal: AbortSignal): AsyncGenerator<CsvRecord> {
  const { kind, chunks } = await openContent(readNamedFile(path, signal));
  if (kind === "Parquet" || kind === "ZIP") {
    throw new ContentError(`is ${KIND_IN_WORDS[kind]}, not CSV`);
  }
  for await (const { records } of readCsvRecords(readLines(chunks))) {
    yield* records;
  }
}

/** The names of a header. One that is repeated, in any letter case, or empty gets a number. */
function columnNames(header: readonly CsvField[]): string[] {
  const names = header.map((field, index) => field?.trim() || `column${index}`);
  return uniqueNames(names, (name) => name.toLowerCase());
}

function append(appender: DuckDBAppender, fields: readonly CsvField[]): void {
  for (const field of fields) {
    if (field === null) {
      appender.appendNull();
    } else {
      appender.appendVarchar(field);
    }
  }
  appender.endRow();
}
