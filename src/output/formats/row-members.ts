import { ContractError } from "../../errors.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { EncoderOptions } from "./encoder.ts";

/**
 * JSON text of one member.
 *
 * @throws ContractError where the row lacks it: an empty field would pass for a value.
 */
export function memberOf(rows: RowBatch, row: number, name: string): string {
  const raw = rows.raw(row, rows.column(name));
  if (raw === undefined) {
    throw missingMember(rows, row, name);
  }
  return raw;
}

export function missingMember(rows: RowBatch, row: number, name: string): ContractError {
  return new ContractError(`the service sent a row without "${name}" (${identityOf(rows, row)})`);
}

/** Names the row in an error, by its id where it has one. */
export function identityOf(rows: RowBatch, row: number): string {
  for (const name of ["product_id", "rcd"]) {
    const raw = rows.raw(row, rows.column(name));
    if (raw !== undefined) {
      return `${name} ${raw}`;
    }
  }
  return "it has no product_id either";
}

/** Tells of the members that an output leaves out unasked, each once: those beyond the known columns. */
export function reportUnknownMembers({ chosen, onUnknownMember }: EncoderOptions): (rows: RowBatch) => void {
  const report = reportOnce(onUnknownMember);
  return (rows) => {
    if (chosen === undefined) {
      rows.others.forEach(report);
    }
  };
}

/** Passes each name on the first time only. */
export function reportOnce(report: ((name: string) => void) | undefined): (name: string) => void {
  const seen = new Set<string>();
  return (name) => {
    if (!seen.has(name)) {
      seen.add(name);
      report?.(name);
    }
  };
}
