import { stringify } from "csv-stringify/sync";
import { textForSpreadsheet } from "../../files/spreadsheet-text.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { ByteJoiner, byteText, byteTexts, columnsOf, reportUnknownMembers, utf8Of } from "./row-members.ts";

interface Dialect {
  delimiter: string;
  record_delimiter: string;
}

/** In a JSON string: an escape of another character than a quote. */
const OTHER_ESCAPE = /\\[^"]/;

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * RFC 4180 with a header. `null` is an empty field and an empty string is `""`; numbers keep their digits; an
 * object or array is its JSON text.
 */
export function createCsvEncoder(options: EncoderOptions): RowEncoder {
  return createEncoder({ delimiter: ",", record_delimiter: "\r\n" }, options);
}

/** As CSV, with tabs between the fields and LF after each record; fields are quoted by the same rule. */
export function createTsvEncoder(options: EncoderOptions): RowEncoder {
  return createEncoder({ delimiter: "\t", record_delimiter: "\n" }, options);
}

/** Most fields are copied from their row. csv-stringify writes the header, and the fields that need more than quotes. */
function createEncoder(dialect: Dialect, options: EncoderOptions): RowEncoder {
  const { delimiter, record_delimiter } = dialect;
  const columns = columnsOf(options);
  const isGuarded = options.spreadsheet === "excel";
  // A record of one empty field would be a blank line, which readers skip: the row would be lost.
  const nothing = columns.length === 1 ? '""' : "";

  function fieldOf(raw: string, column: string): string {
    const isText = raw.startsWith('"');
    if (raw === '""' || (!isText && !/^[{[]/.test(raw))) {
      return raw === "null" ? nothing : raw;
    }
    const copied = isText && !(isGuarded && mayChange(raw)) ? copiedField(raw, delimiter) : undefined;
    if (copied !== undefined) {
      return copied;
    }
    const json = utf8Of(raw);
    const value = isText ? (JSON.parse(json) as string) : json;
    if (/\p{Surrogate}/u.test(value)) {
      options.onLoss?.("surrogate", column);
    }
    const text = isGuarded ? textForSpreadsheet(value) : value;
    return byteText(stringify([[text]], { delimiter }).slice(0, -1));
  }

  let header = (options.spreadsheet === undefined ? "" : BYTE_ORDER_MARK) + stringify([[...columns]], dialect);
  return {
    encode: (rows) => {
      reportUnknownMembers(rows, options);
      const textOf = byteTexts(rows, columns);
      const records = new ByteJoiner(rows.lines().length);
      records.add(byteText(header));
      header = "";
      for (let row = 0; row < rows.length; row += 1) {
        let record = "";
        for (let index = 0; index < columns.length; index += 1) {
          record += (index === 0 ? "" : delimiter) + fieldOf(textOf(row, index), columns[index] as string);
        }
        records.add(record + record_delimiter);
      }
      return records.bytes();
    },
    end: () => [header],
  };
}

/** A JSON string as a field, whose quotes it already has (RFC 4180 section 2); undefined if it escapes anything but quotes. */
function copiedField(raw: string, delimiter: string): string | undefined {
  if (!raw.includes("\\")) {
    return raw.includes(delimiter) ? raw : raw.slice(1, -1);
  }
  return OTHER_ESCAPE.test(raw) ? undefined : raw.replaceAll('\\"', '""');
}

/** Whether a spreadsheet may change a JSON string; true if it has escapes, which are not decoded here. */
function mayChange(raw: string): boolean {
  const text = utf8Of(raw.slice(1, -1));
  return text.includes("\\") || textForSpreadsheet(text) !== text;
}
