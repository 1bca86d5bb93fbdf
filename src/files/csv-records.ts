import { RowError } from "./content-error.ts";
import { countNewlines, type Lines, MAX_RECORD_BYTES } from "./utf8-lines.ts";

export interface CsvRecord {
  /** The line where the record starts, from 1. */
  line: number;
  fields: CsvField[];
}

/** The text of a field; null if the field is empty and not quoted. */
export type CsvField = string | null;

/** A part of a CSV file: whole records. */
export interface CsvPart {
  records: CsvRecord[];
  delimiter: string;
  /** Whether the file begins with a byte order mark. */
  isMarked: boolean;
}

/** What separates fields: a comma, or what programs write in countries where a comma is in numbers. */
const DELIMITERS = [",", ";", "\t", "|"];

/**
 * Reads the records of a CSV file (RFC 4180) with either line end. Blank lines are skipped; the first other line tells the
 * delimiter. A stray quote or carriage return is an error, because programs read it in different ways. The records before an
 * error are returned first. Memory: one block of lines and one record.
 *
 * @throws RowError
 */
export async function* readCsvRecords(blocks: AsyncIterable<Lines>): AsyncGenerator<CsvPart> {
  let dialect: Dialect | undefined;
  let text = "";
  let line = 1;
  for await (const { bytes, isMarked } of blocks) {
    text += bytes.toString();
    dialect ??= dialectOf(text, isMarked);
    const { records, end, endLine, flaw } = wholeRecords(text, line, dialect.field);
    yield { records, delimiter: dialect.delimiter, isMarked: dialect.isMarked };
    if (flaw !== undefined) {
      throw flaw;
    }
    text = text.slice(end);
    line = endLine;
    if (text.length > MAX_RECORD_BYTES) {
      break;
    }
  }
  if (text !== "" && dialect !== undefined) {
    const { start } = readRecord(text, 0, dialect.field);
    const found =
      text.length > MAX_RECORD_BYTES ? `none in the next ${MAX_RECORD_BYTES} characters` : "the end of the file";
    const expected = `a closing quote for ${JSON.stringify(text.slice(start, start + 20))}`;
    throw new RowError({ line: line + countNewlines(text.slice(0, start)), found, expected });
  }
}

/** The records of a text, up to one that is not complete or has a flaw. */
function wholeRecords(text: string, line: number, field: RegExp) {
  const records: CsvRecord[] = [];
  let endLine = line;
  let end = 0;
  while (end < text.length) {
    const record = readRecord(text, end, field);
    if (record.end === undefined) {
      break;
    }
    if (record.flaw !== undefined) {
      return { records, end, endLine, flaw: new RowError({ line: endLine, ...record.flaw }) };
    }
    if (record.fields.length > 1 || record.fields[0] !== null) {
      records.push({ line: endLine, fields: record.fields });
    }
    endLine += countNewlines(text.slice(end, record.end));
    end = record.end;
  }
  return { records, end, endLine };
}

interface Dialect {
  delimiter: string;
  isMarked: boolean;
  field: RegExp;
}

/** The delimiter is the one that the first line that is not blank has most often. */
function dialectOf(text: string, isMarked: boolean): Dialect {
  const [first = ""] = /[^\r\n].*/.exec(text) ?? [];
  const count = (delimiter: string) => first.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best));
  // A field, in quotes or plain, and what ends it. It always matches, perhaps an empty text.
  const pattern = `(?:"([^"]*(?:""[^"]*)*)"(?!")|([^"${delimiter}\\r\\n]*))([${delimiter}]|\\r?\\n|)`;
  return { delimiter, isMarked, field: new RegExp(pattern, "y") };
}

interface ReadRecord {
  fields: CsvField[];
  /** The start of the last field. */
  start: number;
  /** The end of the record; undefined if a quoted field continues after the text. */
  end: number | undefined;
  flaw?: { found: string; expected: string };
}

function readRecord(text: string, from: number, field: RegExp): ReadRecord {
  const fields: CsvField[] = [];
  field.lastIndex = from;
  for (;;) {
    const start = field.lastIndex;
    const [whole = "", quoted, plain = "", ending = ""] = field.exec(text) ?? [];
    const end = field.lastIndex;
    if (whole === "" && text[end] === '"') {
      return { fields, start, end: undefined };
    }
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    if (ending === "" && end < text.length) {
      const found = text[end] === "\r" ? "a carriage return alone" : JSON.stringify(text[end]);
      const expected = "a separator or the end of the line after a field";
      return { fields, start, end, flaw: { found, expected } };
    }
    if (ending === "" || ending.endsWith("\n")) {
      return { fields, start, end };
    }
  }
}
