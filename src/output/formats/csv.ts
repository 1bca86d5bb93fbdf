import { stringify } from "csv-stringify/sync";
import { onOneLine } from "../../contract/raw-json.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { memberOf, membersOf, reportOnce, reportUnknownMembers } from "./row-members.ts";

interface Dialect {
  delimiter: string;
  record_delimiter: string;
}

const CSV: Dialect = { delimiter: ",", record_delimiter: "\r\n" };
const TSV: Dialect = { delimiter: "\t", record_delimiter: "\n" };

/** A field of two quotes, as opposed to one of nothing. */
const QUOTED_EMPTY = {};
type Field = string | null | typeof QUOTED_EMPTY;

/**
 * RFC 4180 with a header. `null` is an empty field and an empty string is `""`; numbers keep their digits; an
 * object or array is its JSON text.
 */
export function createCsvEncoder(options: EncoderOptions): RowEncoder {
  return createEncoder(CSV, options);
}

/** As CSV, with tabs between the fields and LF after each record; fields are quoted by the same rule. */
export function createTsvEncoder(options: EncoderOptions): RowEncoder {
  return createEncoder(TSV, options);
}

function createEncoder(dialect: Dialect, options: EncoderOptions): RowEncoder {
  const { spreadsheet } = options;
  const columns = options.chosen ?? options.known;
  const reportUnknown = reportUnknownMembers(options);
  const reportSurrogate = reportOnce(options.onLoneSurrogate);
  // A record of one empty field would be a blank line, which readers skip: the row would be lost.
  const nothing = columns.length === 1 ? QUOTED_EMPTY : null;

  function record(row: string): Field[] {
    const members = membersOf(row);
    reportUnknown(members);
    return columns.map((column) => {
      const raw = memberOf(members, column);
      if (raw === "null") {
        return nothing;
      }
      const field = fieldOf(raw, () => reportSurrogate(column));
      return spreadsheet === "excel" && raw.startsWith('"') ? withoutFormula(field) : field;
    });
  }

  return {
    begin: () => (spreadsheet === undefined ? "" : BYTE_ORDER_MARK) + text([[...columns]], dialect),
    encode: (rows) => text(rows.map(record), dialect),
    end: () => "",
  };
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Crawled text must not run as a formula (OWASP, CSV injection); numbers cannot. */
function withoutFormula(field: Field): Field {
  return typeof field === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(field) ? `'${field}` : field;
}

function text(records: readonly Field[][], dialect: Dialect): string {
  return stringify([...records], {
    ...dialect,
    // A lone CR or LF ends a record for some readers.
    quoted_match: /[\r\n]/,
    cast: { object: () => ({ value: "", quoted_empty: true }) },
  });
}

function fieldOf(raw: string, onLoneSurrogate: () => void): Field {
  if (!raw.startsWith('"')) {
    return onOneLine(raw);
  }
  if (!raw.includes("\\")) {
    return raw.length === 2 ? QUOTED_EMPTY : raw.slice(1, -1);
  }
  const value = JSON.parse(raw) as string;
  if (/\p{Surrogate}/u.test(value)) {
    onLoneSurrogate();
  }
  return value;
}
