import type { Coverage } from "../../contract/coverage.ts";

export const DIMENSIONS = ["retailer", "department", "category"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const SORTS = ["name", "rows", "first", "last"] as const;
export type Sort = (typeof SORTS)[number];

/** What a group adds up, in the order of its columns. */
export const GROUP_COLUMNS = ["combinations", "corpus_rows", "matching_rows", "earliest_date", "latest_date"] as const;

type Counts = Pick<Coverage, "corpus_rows" | "matching_rows" | "earliest_date" | "latest_date">;

/** All combinations that share one retailer, department or category. */
export type CoverageGroup = Counts & { combinations: number } & Partial<Record<Dimension, string>>;

/** Adds the combinations up per value of one dimension. */
export function groupCoverage(coverage: readonly Coverage[], dimension: Dimension): CoverageGroup[] {
  const groups = new Map<string, CoverageGroup>();
  for (const entry of coverage) {
    const group = groups.get(entry[dimension]);
    groups.set(entry[dimension], {
      [dimension]: entry[dimension],
      combinations: (group?.combinations ?? 0) + 1,
      corpus_rows: (group?.corpus_rows ?? 0) + entry.corpus_rows,
      matching_rows: (group?.matching_rows ?? 0) + entry.matching_rows,
      earliest_date:
        group !== undefined && group.earliest_date < entry.earliest_date ? group.earliest_date : entry.earliest_date,
      latest_date: group !== undefined && group.latest_date > entry.latest_date ? group.latest_date : entry.latest_date,
    });
  }
  return [...groups.values()];
}

type Sortable = Counts & Partial<Record<Dimension, string>>;

const ORDERS = {
  name: () => 0,
  rows: (a: Counts, b: Counts) => b.matching_rows - a.matching_rows,
  first: (a: Counts, b: Counts) => compare(a.earliest_date, b.earliest_date),
  last: (a: Counts, b: Counts) => compare(b.latest_date, a.latest_date),
} as const satisfies Record<Sort, (a: Counts, b: Counts) => number>;

/** Sorted as asked, then by retailer, department and category. */
export function sortCoverage<Entry extends Sortable>(coverage: readonly Entry[], sort: Sort): Entry[] {
  return [...coverage].sort((a, b) => ORDERS[sort](a, b) || byName(a, b));
}

function byName(a: Sortable, b: Sortable): number {
  return DIMENSIONS.reduce((order, dimension) => order || compare(a[dimension] ?? "", b[dimension] ?? ""), 0);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
