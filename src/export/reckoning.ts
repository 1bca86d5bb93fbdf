import type { Filters } from "../contract/filters.ts";
import type { Plan, Slice } from "./plan.ts";

/** A slice that was written whole. */
export interface FinishedSlice {
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
export function stillValid(slices: readonly FinishedSlice[], plan: Plan): FinishedSlice[] {
  const earlier = slices.findIndex(
    (slice, index) => JSON.stringify(slice.filters) !== JSON.stringify(plan.slices[index]?.filters),
  );
  const same = slices.slice(0, earlier === -1 ? slices.length : earlier);
  const off = plan.groups.findIndex((group, index) => {
    const members = plan.slices.flatMap((slice, at) => (slice.group === index ? [at] : []));
    const whole = members.every((at) => at < same.length);
    return whole && members.reduce((sum, at) => sum + (same[at]?.rows ?? 0), 0) !== group.rows;
  });
  const firstOff = off === -1 ? same.length : plan.slices.findIndex((slice) => slice.group === off);
  return same.slice(0, firstOff);
}

/** Compares a group's rows with the coverage once its last slice has ended. */
export function checkGroup(plan: Plan, finished: readonly FinishedSlice[], slice: Slice, rows: number): void {
  const index = finished.length;
  if (plan.slices[index + 1]?.group === slice.group) {
    return;
  }
  const start = plan.slices.findIndex((other) => other.group === slice.group);
  const sum = finished.slice(start).reduce((total, other) => total + other.rows, rows);
  const expected = plan.groups[slice.group]?.rows;
  if (sum !== expected) {
    throw new PlanOutdatedError(`coverage counted ${expected} rows where the walk gave ${sum}`, start);
  }
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
