import { rawMembers } from "../contract/raw-json.ts";
import { ContractError } from "../errors.ts";

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

function identityOf(members: ReadonlyMap<string, string>): string {
  const name = ["product_id", "rcd"].find((candidate) => members.has(candidate));
  return name === undefined ? "it has no product_id either" : `${name} ${members.get(name)}`;
}
