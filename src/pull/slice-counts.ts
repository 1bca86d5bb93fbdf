import type { Filters } from "../contract/filters.ts";
import type { Plan, Slice } from "./plan.ts";

/** A slice whose rows were all passed on. */
export interface FinishedSlice {
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

/** Compares a group's rows with the coverage after its last slice. @param rows of that slice */
export function checkGroup(plan: Plan, finished: readonly FinishedSlice[], slice: Slice, rows: number): void {
  const index = finished.length;
  if (plan.slices[index + 1]?.group === slice.group) {
    return;
  }
  const start = plan.slices.findIndex(({ group }) => group === slice.group);
  const sum = finished.slice(start).reduce((total, before) => total + before.rows, rows);
  const expected = plan.groups[slice.group]?.rows;
  if (sum !== expected) {
    throw new PlanOutdatedError(`coverage counted ${expected} rows, but the walk returned ${sum}`, start);
  }
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
