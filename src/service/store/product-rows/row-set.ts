import type { Rcd } from "../../../contract/filters.ts";

/** The first and the last day, inclusive, each as the number YYYYMMDD. */
export type DayNumbers = readonly [first: number, last: number];

/** The rows of a combination in one version of the data. */
export interface CombinationCount extends Rcd {
  id: number;
  /** Rows on any day. */
  corpus: number;
  /** Rows in a range of days, and the first and the last of these days. Null without rows. */
  matching: number;
  earliest: number | null;
  latest: number | null;
}

/** The rows of one version that match a set of filters. */
export interface RowSet {
  version: number;
  days: DayNumbers;
  /** Those with matching rows. */
  combinations: readonly CombinationCount[];
  /** Whether these are all combinations with rows on these days. */
  isWhole: boolean;
  /** Rows of the set, and of all combinations. */
  total: number;
  stored: number;
}
