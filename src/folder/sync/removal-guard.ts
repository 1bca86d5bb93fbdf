import { ShrinkError } from "../../contract/errors.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import type { DayState } from "../day-state.ts";
import type { RcdCounts } from "./changes.ts";

/**
 * Protects the copy from wrong responses of the service: compares the counts of the combinations, to see whether more
 * than half of the folder's rows would be removed.
 *
 * @returns a function to call with the number of rows before each removal; it throws if the sum is more than half
 * @throws ShrinkError unless `isAllowed`
 */
export function removalGuard(
  days: Readonly<Record<string, DayState>>,
  local: RcdCounts,
  remote: RcdCounts,
  isAllowed: boolean,
): (rows: number) => void {
  const storedRows = Object.values(days).reduce((sum, { rows }) => sum + rows, 0);
  const refuse = (lost: number) => {
    if (!isAllowed && lost * 2 > storedRows) {
      throw new ShrinkError(
        storedRows === 1
          ? "the only row in the folder would be removed. --allow-shrink removes it"
          : `${groupDigits(lost)} of the ${groupDigits(storedRows)} rows in the folder would be removed, more than half of them. --allow-shrink removes them`,
      );
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
