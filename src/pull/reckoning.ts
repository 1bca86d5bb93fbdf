import type { Filters } from "../contract/filters.ts";
import { type Plan, type Slice, sliceKey } from "./plan.ts";

/** A slice that was written whole. */
export interface FinishedSlice {
  /** See `sliceKey`. */
  key: string;
  filters: Filters;
  rows: number;
}

/** The walks did not give what the coverage promised: rows came or went since. */
export class PlanOutdatedError extends Error {
  override readonly name = "PlanOutdatedError";
  /** First slice of what does not add up. */
  readonly slice: number;

  constructor(message: string, slice: number) {
    super(message);
    this.slice = slice;
  }
}

/** Slices of an earlier pull that the plan still holds, in their places and with their counts. */
export function stillValid(earlier: readonly { key: string; rows: number }[], plan: Plan): FinishedSlice[] {
  const finished: FinishedSlice[] = [];
  for (const [index, { key, rows }] of earlier.entries()) {
    const slice = plan.slices[index];
    if (slice === undefined || sliceKey(plan, slice) !== key) {
      break;
    }
    finished.push({ key, filters: slice.filters, rows });
  }
  // A group that is whole but has another count than the coverage now gives has to be read again.
  const off = plan.slices.findIndex((slice, index) => {
    const isLast = plan.slices[index + 1]?.group !== slice.group;
    return isLast && index < finished.length && sumOfGroup(plan, finished, index) !== plan.groups[slice.group]?.rows;
  });
  return off === -1 ? finished : finished.slice(0, startOfGroup(plan, off));
}

/** Compares a group's rows with the coverage once its last slice, with this many rows, has ended. */
export function checkGroup(plan: Plan, finished: readonly FinishedSlice[], slice: Slice, rows: number): void {
  const index = finished.length;
  if (plan.slices[index + 1]?.group === slice.group) {
    return;
  }
  const sum = sumOfGroup(plan, finished, index) + rows;
  const expected = plan.groups[slice.group]?.rows;
  if (sum !== expected) {
    throw new PlanOutdatedError(
      `coverage counted ${expected} rows where the walk gave ${sum}`,
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

/** Rows that a slice must hold according to the coverage; undefined where only its group's sum is known. */
export function exactRows(plan: Plan, slice: Slice): number | undefined {
  const isAlone = plan.slices.filter((other) => other.group === slice.group).length === 1;
  return isAlone ? plan.groups[slice.group]?.rows : undefined;
}

/** Compares the total that a walk announces with what the coverage counted, before any row is handed on. */
export function checkTotal(total: number, expected: number | undefined, slice: number): void {
  if (expected !== undefined && total !== expected) {
    throw new PlanOutdatedError(`coverage counted ${expected} rows where total_matching is ${total}`, slice);
  }
}
