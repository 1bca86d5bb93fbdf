import type { Filters } from "../contract/filters.ts";
import { type Plan, type Slice, sliceKey } from "./plan.ts";

/** A slice whose rows are all written. */
export interface FinishedSlice {
  /** See `sliceKey`. */
  key: string;
  filters: Filters;
  rows: number;
}

/** The rows of the walks differ from the coverage: rows were added or removed in between. */
export class PlanOutdatedError extends Error {
  override readonly name = "PlanOutdatedError";
  /** First slice of the group whose count is wrong. */
  readonly slice: number;

  constructor(message: string, slice: number) {
    super(message);
    this.slice = slice;
  }
}

/** The leading slices of an earlier pull that the new plan has at the same place and with the same counts. */
export function stillValid(earlier: readonly { key: string; rows: number }[], plan: Plan): FinishedSlice[] {
  const finished: FinishedSlice[] = [];
  for (const [index, { key, rows }] of earlier.entries()) {
    const slice = plan.slices[index];
    if (slice === undefined || sliceKey(plan, slice) !== key) {
      break;
    }
    finished.push({ key, filters: slice.filters, rows });
  }
  // A complete group whose count differs from the new coverage must be read again.
  const off = plan.slices.findIndex((slice, index) => {
    const isLast = plan.slices[index + 1]?.group !== slice.group;
    return isLast && index < finished.length && sumOfGroup(plan, finished, index) !== plan.groups[slice.group]?.rows;
  });
  return off === -1 ? finished : finished.slice(0, startOfGroup(plan, off));
}

/** Compares a group's rows with the coverage after its last slice. @param rows of that slice */
export function checkGroup(plan: Plan, finished: readonly FinishedSlice[], slice: Slice, rows: number): void {
  const index = finished.length;
  if (plan.slices[index + 1]?.group === slice.group) {
    return;
  }
  const sum = sumOfGroup(plan, finished, index) + rows;
  const expected = plan.groups[slice.group]?.rows;
  if (sum !== expected) {
    throw new PlanOutdatedError(
      `coverage counted ${expected} rows, but the walk returned ${sum}`,
      startOfGroup(plan, index),
    );
  }
}

/** Rows of the group that ends with the slice at `last`. */
function sumOfGroup(plan: Plan, finished: readonly FinishedSlice[], last: number): number {
  return finished.slice(startOfGroup(plan, last), last + 1).reduce((sum, slice) => sum + slice.rows, 0);
}

function startOfGroup(plan: Plan, index: number): number {
  return plan.slices.findIndex((slice) => slice.group === plan.slices[index]?.group);
}

/**
 * Compares the total that the walk of the slice at `index` announces with the coverage, before any row is passed on. The
 * coverage does not count the slices of a group that is cut by date.
 */
export function checkTotal(plan: Plan, index: number, total: number): void {
  const group = plan.slices[index]?.group ?? 0;
  const isAlone = plan.slices.filter((slice) => slice.group === group).length === 1;
  const expected = plan.groups[group]?.rows;
  if (isAlone && total !== expected) {
    throw new PlanOutdatedError(`coverage counted ${expected} rows, but total_matching is ${total}`, index);
  }
}
