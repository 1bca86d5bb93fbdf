import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import type { ResolvedFilters } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import type { Plan } from "./plan.ts";
import type { SetFilters } from "./set-filters.ts";
import type { PlanCuts } from "./store/page-store.ts";

export interface PullOptions {
  filters: SetFilters;
  /** Maximum rows of a request. A store that has pages already keeps their size. */
  pageSize: number;
  concurrency: number;
  /** The pull ends after this number of rows, even if the set has more. */
  maxRows?: number | undefined;
  /** Percentage of the pages that are read a second time at the end, see `recheckCount`. */
  recheck?: number | undefined;
  /** True: each slice is written as soon as it has been read. False: all are written once the whole set is verified. */
  isStreamed?: boolean;
  /** Receives the rows, in the order of the plan. Calls do not overlap. */
  write: (rows: RowBatch) => Promise<void>;
  signal: AbortSignal;
  observer?: PullObserver;
  /** A number from 0 up to 1. */
  random?: () => number;
}

/** Callbacks of a running pull; the pull itself prints nothing. */
export interface PullObserver {
  /** Receives the coverage that the pull is planned from; an error thrown here ends the pull before its first page. */
  onCoverage?(coverage: readonly Coverage[]): Promise<void> | void;
  /**
   * An error thrown here ends the pull before the next page.
   *
   * @param stored rows of the plan that are in the store already
   */
  onPlan?(plan: Plan, stored: number): Promise<void> | void;
  /** Receives the number of rows in the store. */
  onRows?(rows: number): void;
  onRestart?: (reason: string) => void;
  /** Receives the number of pages of the store that are damaged or behind a damaged one, and are read again. */
  onDamage?: (pages: number) => void;
}

/** A slice and its number of rows in the output. */
export interface FinishedSlice {
  filters: Filters;
  rows: number;
}

export interface PullResult {
  rows: number;
  /** Whether `maxRows` ended the pull before the end of the set. */
  truncated: boolean;
  cuts: PlanCuts;
  slices: readonly FinishedSlice[];
  /** Number of pages that were read a second time. */
  recheckedPages: number;
  summary: CoverageSummary;
  resolved: ResolvedFilters;
}
