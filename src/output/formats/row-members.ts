import { rawMembers } from "../../contract/raw-json.ts";
import { ContractError } from "../../errors.ts";
import type { EncoderOptions } from "./encoder.ts";

/**
 * The members of a row and their raw JSON text.
 *
 * @throws ContractError where the row is not an object.
 */
export function membersOf(row: string): Map<string, string> {
  if (!row.startsWith("{")) {
    throw new ContractError("the service sent a row that is not a JSON object");
  }
  return rawMembers(row);
}

/**
 * Raw JSON text of one member.
 *
 * @throws ContractError where the row lacks it: an empty field would pass for a value.
 */
export function memberOf(members: ReadonlyMap<string, string>, column: string): string {
  const raw = members.get(column);
  if (raw === undefined) {
    throw new ContractError(`the service sent a row without "${column}" (${identityOf(members)})`);
  }
  return raw;
}

/** Names the row in an error, by its id where it has one. */
export function identityOf(members: ReadonlyMap<string, string>): string {
  const name = ["product_id", "rcd"].find((candidate) => members.has(candidate));
  return name === undefined ? "it has no product_id either" : `${name} ${members.get(name)}`;
}

/** Tells of the members that an output leaves out unasked, each once: those beyond the known columns. */
export function reportUnknownMembers({
  known,
  chosen,
  onUnknownMember,
}: EncoderOptions): (members: ReadonlyMap<string, string>) => void {
  const report = reportOnce(onUnknownMember);
  return (members) => {
    if (chosen === undefined && members.size > known.length) {
      [...members.keys()].filter((name) => !known.includes(name)).forEach(report);
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
