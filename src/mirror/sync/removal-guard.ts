import { ShrinkError } from "../../errors.ts";
import type { DayState } from "../folder/folder-state.ts";
import type { Counts } from "./changes.ts";

/**
 * Keeps a wrong answer of the service from emptying the copy: looks at once whether more than half of the rows that the
 * folder holds would go, by the counts of each combination.
 *
 * @returns to be told of rows before they go for any reason; refuses where they come to more than half in all
 * @throws ShrinkError unless `isAllowed`
 */
export function removalGuard(
  days: Readonly<Record<string, DayState>>,
  local: Counts,
  remote: Counts,
  isAllowed: boolean,
): (rows: number) => void {
  const held = Object.values(days).reduce((sum, { rows }) => sum + rows, 0);
  const refuse = (lost: number) => {
    if (!isAllowed && lost * 2 > held) {
      throw new ShrinkError(`${lost} of the ${held} rows that the folder holds would go, more than half of them`);
    }
  };
  const lacking = [...local].reduce((sum, [rcd, rows]) => sum + Math.max(0, rows - (remote.get(rcd) ?? 0)), 0);
  refuse(lacking);
  let removed = 0;
  return (rows) => {
    removed += rows;
    refuse(removed);
  };
}
