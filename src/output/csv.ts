import { onOneLine } from "../contract/raw-json.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { memberOf, membersOf } from "./row-members.ts";

interface Dialect {
  delimiter: string;
  lineEnd: string;
}

const CSV: Dialect = { delimiter: ",", lineEnd: "\r\n" };
const TSV: Dialect = { delimiter: "\t", lineEnd: "\n" };

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

function createEncoder(
  dialect: Dialect,
  { known, chosen, onUnknownMember, onLoneSurrogate }: EncoderOptions,
): RowEncoder {
  const columns = chosen ?? known;
  const reportMember = once(onUnknownMember);
  const reportSurrogate = once(onLoneSurrogate);
  // A record of one empty field would be a blank line, which readers skip: the row would be lost.
  const empty = columns.length === 1 ? '""' : "";

  function record(row: string): string {
    const members = membersOf(row);
    let text = "";
    for (const column of columns) {
      const raw = memberOf(members, column);
      text += dialect.delimiter + (raw === "null" ? empty : field(raw, dialect, () => reportSurrogate(column)));
    }
    if (chosen === undefined && members.size > known.length) {
      unknownMembers(members, known).forEach(reportMember);
    }
    return text.slice(1) + dialect.lineEnd;
  }

  return {
    begin: () => columns.map((column) => quoted(column, dialect)).join(dialect.delimiter) + dialect.lineEnd,
    encode: (rows) => rows.map(record).join(""),
    end: () => "",
  };
}

function field(raw: string, dialect: Dialect, onLoneSurrogate: () => void): string {
  if (!raw.startsWith('"')) {
    return quoted(onOneLine(raw), dialect);
  }
  if (!raw.includes("\\")) {
    // JSON allows no quote, CR, LF or tab without a backslash, so what is left to look for is a comma.
    return raw.length === 2 || raw.includes(dialect.delimiter) ? raw : raw.slice(1, -1);
  }
  const value = JSON.parse(raw) as string;
  if (/\p{Surrogate}/u.test(value)) {
    onLoneSurrogate();
  }
  return quoted(value, dialect);
}

/** RFC 4180 section 2, rules 6 and 7; a lone CR or LF ends a record for some readers and is quoted too. */
function quoted(value: string, { delimiter }: Dialect): string {
  return /["\r\n]/.test(value) || value.includes(delimiter) ? `"${value.replaceAll('"', '""')}"` : value;
}

function unknownMembers(members: ReadonlyMap<string, string>, known: readonly string[]): string[] {
  return [...members.keys()].filter((name) => !known.includes(name));
}

/** Passes each name on the first time only. */
function once(report: ((name: string) => void) | undefined): (name: string) => void {
  const seen = new Set<string>();
  return (name) => {
    if (!seen.has(name)) {
      seen.add(name);
      report?.(name);
    }
  };
}
