import { onOneLine } from "../../contract/raw-json.ts";
import type { EncoderOptions, RowEncoder } from "./encoder.ts";
import { memberOf, membersOf } from "./row-members.ts";

/** One row a line, LF after each; numbers and escapes stay as the API wrote them. */
export function createNdjsonEncoder(options: EncoderOptions): RowEncoder {
  const line = rowLine(options);
  return {
    begin: () => "",
    encode: (rows) => rows.map((row) => `${line(row)}\n`).join(""),
    end: () => "",
  };
}

/** Writes a row as JSON on one line: as it came, or its chosen members in the order chosen. */
export function rowLine({ chosen }: EncoderOptions): (row: string) => string {
  if (chosen === undefined) {
    return onOneLine;
  }
  const names = chosen.map((column) => [column, JSON.stringify(column)] as const);
  return (row) => {
    const members = membersOf(row);
    return `{${names.map(([column, name]) => `${name}:${onOneLine(memberOf(members, column))}`).join(",")}}`;
  };
}
