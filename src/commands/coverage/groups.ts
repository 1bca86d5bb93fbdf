import { type ListOptions, type SortKey, sortBy } from "../../cli/flags/list.ts";
import { COVERAGE_COLUMNS, type Coverage } from "../../contract/coverage.ts";

export const DIMENSIONS = ["retailer", "department", "category"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The sums of a group, in the order of its columns. */
const GROUP_COLUMNS = ["combinations", "corpus_rows", "matching_rows", "earliest_date", "latest_date"] as const;

type Counts = Pick<Coverage, "corpus_rows" | "matching_rows" | "earliest_date" | "latest_date">;

/** All combinations that share one retailer, department or category. */
export type CoverageGroup = Counts & { combinations: number } & Partial<Record<Dimension, string>>;

/** Sums the combinations for each value of one dimension. */
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

/** The columns of the rows. */
export function columnsOf(groupBy: Dimension | undefined): readonly string[] {
  return groupBy === undefined ? COVERAGE_COLUMNS : [groupBy, ...GROUP_COLUMNS];
}

/** Short names of orders; counts and last days are sorted from the largest. */
export function sortWords(groupBy: Dimension | undefined): Readonly<Record<string, SortKey>> {
  return {
    name: { column: groupBy ?? "retailer", descending: false },
    rows: { column: "matching_rows", descending: true },
    first: { column: "earliest_date", descending: false },
    last: { column: "latest_date", descending: true },
  };
}

type Entry = Coverage | CoverageGroup;

/** The first `limit` entries, sorted by retailer, department and category, or first by another column. */
export function listed(entries: readonly Entry[], { sort, limit }: Pick<ListOptions, "sort" | "limit">): Entry[] {
  const named = [...DIMENSIONS]
    .reverse()
    .reduce((sorted, column) => sortBy(sorted, { column, descending: false }, (entry) => entry[column]), [...entries]);
  const all = sort === undefined ? named : sortBy(named, sort, (entry) => entry[sort.column as keyof Entry]);
  return all.slice(0, limit);
}
