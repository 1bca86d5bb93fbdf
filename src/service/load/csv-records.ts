import { RowError } from "./load-error.ts";
import { countNewlines, type Lines, MAX_RECORD_BYTES } from "./read-lines.ts";

export interface CsvRecord {
  /** Line where the record starts, from 1. */
  line: number;
  fields: string[];
}

const QUOTE = 34;
const COMMA = 44;
const RETURN = 13;
const NEWLINE = 10;

/**
 * Reads records as in RFC 4180, with either line end. Blank lines are skipped. A stray quote or carriage return is an
 * error, because readers treat it in different ways. Holds one block of lines and one record in memory.
 *
 * @throws RowError
 */
export async function* readRecords(blocks: AsyncIterable<Lines>): AsyncGenerator<CsvRecord[]> {
  let text = "";
  let line = 1;
  for await (const block of blocks) {
    text += block.bytes.toString();
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const record = readRecord(text, at, line);
      if (record === undefined) {
        break;
      }
      if (record.fields.length > 1 || record.fields[0] !== "") {
        records.push({ line, fields: record.fields });
      }
      line += countNewlines(text.slice(at, record.end));
      at = record.end;
    }
    yield records;
    text = text.slice(at);
    if (text.length > MAX_RECORD_BYTES) {
      break;
    }
  }
  if (text !== "") {
    throw new RowError({ line, found: "the end of the file", expected: "a closing quote" });
  }
}

/** The record at `start`; undefined if a quoted field continues after the text. @param line for errors */
function readRecord(text: string, start: number, line: number): { fields: string[]; end: number } | undefined {
  const fields: string[] = [];
  let at = start;
  for (;;) {
    const end = text.charCodeAt(at) === QUOTE ? endOfQuoted(text, at) : endOfPlain(text, at);
    if (end === undefined) {
      return undefined;
    }
    fields.push(fieldText(text, at, end));
    const next = text.charCodeAt(end);
    if (next !== COMMA) {
      return { fields, end: endOfRecord(text, end, line) };
    }
    at = end + 1;
  }
}

function fieldText(text: string, at: number, end: number): string {
  return text.charCodeAt(at) === QUOTE ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end);
}

/** Index after the closing quote. */
function endOfQuoted(text: string, start: number): number | undefined {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && text.charCodeAt(quote + 1) === QUOTE) {
    quote = text.indexOf('"', quote + 2);
  }
  return quote === -1 ? undefined : quote + 1;
}

function endOfPlain(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === NEWLINE || code === RETURN || code === QUOTE) {
      break;
    }
  }
  return at;
}

function endOfRecord(text: string, at: number, line: number): number {
  if (at === text.length) {
    return at;
  }
  if (text.charCodeAt(at) === NEWLINE) {
    return at + 1;
  }
  if (text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === NEWLINE) {
    return at + 2;
  }
  const found = text.charCodeAt(at) === RETURN ? "a carriage return alone" : JSON.stringify(text[at]);
  throw new RowError({ line, found, expected: "a comma or the end of the line after a field" });
}
