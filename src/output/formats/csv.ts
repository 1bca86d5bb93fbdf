import { pipeline } from "node:stream";
import { stringify } from "csv-stringify/sync";
import type { RowBatch } from "../../rows/batch.ts";
import { BACKSLASH, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../rows/json-bytes.ts";
import type { EncoderOptions, RowCode, RowEncoder } from "./encoder.ts";
import { OutputBytes } from "./output-bytes.ts";
import { columnsOf, missingMember, reportOnce, reportUnknownMembers } from "./row-members.ts";
import { textForSpreadsheet } from "./spreadsheet-text.ts";

interface Dialect {
  delimiter: string;
  record_delimiter: string;
}

const SLASH = 47;
const LETTER_N = 110;

/** Bytes of an empty JSON string. */
const EMPTY_STRING = 2;

const BYTE_ORDER_MARK = "\uFEFF";

/** Separates fields that are written together; a field that contains it is written alone. */
const FIELD_END = "\u0000\u0001\n";

/**
 * RFC 4180 with a header. `null` is an empty field and an empty string is `""`; numbers keep their digits; an
 * object or array is its JSON text.
 */
export const CSV = codeOf({ delimiter: ",", record_delimiter: "\r\n" });

/** As CSV, with tabs between the fields and LF after each record; fields are quoted by the same rule. */
export const TSV = codeOf({ delimiter: "\t", record_delimiter: "\n" });

function codeOf(dialect: Dialect): RowCode {
  return {
    createEncoder: (options) => createEncoder(dialect, options),
    read: async function* ({ content }) {
      const { parse } = await import("csv-parse");
      yield* pipeline(content(), parse({ delimiter: dialect.delimiter, bom: true, columns: true }), () => undefined);
    },
  };
}

/** A field that csv-stringify writes, and its position among the copied bytes. */
interface SpecialField {
  at: number;
  text: string;
}

/**
 * Most fields are copied byte by byte from their row, with quotes where they hold a delimiter or a quote. Fields with
 * other escapes go through csv-stringify, all those of a batch at once.
 */
function createEncoder(dialect: Dialect, options: EncoderOptions): RowEncoder {
  const columns = columnsOf(options);
  const reportUnknown = reportUnknownMembers(options);
  const readField = fieldReader(options);
  const delimiter = dialect.delimiter.charCodeAt(0);
  const recordEnd = Buffer.from(dialect.record_delimiter);
  // A record of one empty field would be a blank line, which readers skip: the row would be lost.
  const nothing = columns.length === 1 ? '""' : "";
  // A spreadsheet might change text, so it is never copied.
  const isGuarded = options.spreadsheet === "excel";

  /** Copies the value between two offsets; returns false if that needs more than quotes, and then copies nothing. */
  function addPlain(output: OutputBytes, bytes: Buffer, start: number, end: number): boolean {
    const first = bytes[start] as number;
    if (first === LETTER_N) {
      output.addText(nothing);
      return true;
    }
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      return false;
    }
    if (first !== QUOTE) {
      output.addPart(bytes, start, end);
      return true;
    }
    const isEmpty = end - start === EMPTY_STRING;
    return (isEmpty || !isGuarded) && addString(output, bytes, start, end, delimiter, isEmpty);
  }

  function encode(rows: RowBatch): Buffer {
    reportUnknown(rows);
    const output = new OutputBytes(rows.lines().length + 1024);
    const special: SpecialField[] = [];
    const numbers = columns.map((name) => rows.column(name));
    const addField = (row: number, column: number, name: string): void => {
      const start = rows.valueStart(row, column);
      if (start === 0) {
        throw missingMember(rows, row, name);
      }
      if (!addPlain(output, rows.bytes, start, rows.valueEnd(row, column))) {
        special.push({ at: output.length, text: readField(rows.raw(row, column) ?? "", name) });
      }
    };
    for (let row = 0; row < rows.length; row += 1) {
      for (let index = 0; index < columns.length; index += 1) {
        if (index > 0) {
          output.addByte(delimiter);
        }
        addField(row, numbers[index] as number, columns[index] as string);
      }
      output.addPart(recordEnd, 0, recordEnd.length);
    }
    return merged(output, special, dialect);
  }

  return {
    begin: () => (options.spreadsheet === undefined ? "" : BYTE_ORDER_MARK) + stringify([[...columns]], dialect),
    encode,
    end: () => "",
  };
}

/**
 * Copies a JSON string, whose quotes are those of a quoted field (RFC 4180 section 2).
 *
 * @param isQuoted whether it holds a delimiter or a quote, or is empty
 */
function addString(
  output: OutputBytes,
  bytes: Buffer,
  start: number,
  end: number,
  delimiter: number,
  isQuoted: boolean,
): boolean {
  // Each quote is two bytes in JSON too.
  output.reserve(end - start);
  const target = output.bytes;
  const quote = isQuoted ? 1 : 0;
  const stop = isQuoted ? -1 : delimiter;
  target[output.length] = QUOTE;
  let to = output.length + quote;
  for (let at = start + 1; at < end - 1; at += 1) {
    let byte = bytes[at] as number;
    if (byte === stop) {
      return addString(output, bytes, start, end, delimiter, true);
    }
    if (byte === BACKSLASH) {
      at += 1;
      byte = bytes[at] as number;
      if (byte === QUOTE) {
        if (!isQuoted) {
          return addString(output, bytes, start, end, delimiter, true);
        }
        target[to] = QUOTE;
        to += 1;
      } else if (byte !== BACKSLASH && byte !== SLASH) {
        return false;
      }
    }
    target[to] = byte;
    to += 1;
  }
  target[to] = QUOTE;
  output.length = to + quote;
  return true;
}

/** Reads the text of a value that is not plain. */
function fieldReader({ spreadsheet, onLoneSurrogate }: EncoderOptions): (raw: string, column: string) => string {
  const reportSurrogate = reportOnce(onLoneSurrogate);
  return (raw, column) => {
    const value = raw.startsWith('"') ? (JSON.parse(raw) as string) : raw;
    if (/\p{Surrogate}/u.test(value)) {
      reportSurrogate(column);
    }
    return spreadsheet === "excel" ? textForSpreadsheet(value) : value;
  };
}

/** Inserts the fields written by csv-stringify between the copied ones. */
function merged(plain: OutputBytes, special: readonly SpecialField[], dialect: Dialect): Buffer {
  if (special.length === 0) {
    return plain.taken();
  }
  const records = special.map(({ text }) => [text]);
  const fields = stringified(records, dialect.delimiter);
  const whole = new OutputBytes(plain.length + fields.reduce((sum, field) => sum + 3 * field.length, 0));
  let from = 0;
  for (const [index, { at }] of special.entries()) {
    whole.addPart(plain.bytes, from, at);
    whole.addText(fields[index] ?? "");
    from = at;
  }
  whole.addPart(plain.bytes, from, plain.length);
  return whole.taken();
}

/** One field for each record of one text. */
function stringified(records: string[][], delimiter: string): string[] {
  // Some readers treat a lone CR or LF as the end of a record.
  const options = { delimiter, record_delimiter: FIELD_END, quoted_match: /[\r\n]/, quoted_empty: true };
  const all = stringify(records, options).split(FIELD_END);
  return all.length === records.length + 1
    ? all
    : records.map((record) => stringify([record], options).slice(0, -FIELD_END.length));
}
