import type { CoverageResponse } from "../../api/responses/coverage-response.ts";
import type { ListOptions } from "../../cli/flags/list.ts";
import { type SortKey, sortBy } from "../../cli/order.ts";
import { COVERAGE_COLUMNS, type Coverage } from "../../contract/coverage.ts";
import { dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import type { DayCounts, EndDays } from "./day-counts.ts";

export const DIMENSIONS = ["retailer", "department", "category"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const GROUPINGS = [...DIMENSIONS, "brand", "day"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A combination of a brand. */
export interface BrandCoverage extends Coverage {
  brand: string;
}

/** What combinations are summed up by. */
export type Summing = Exclude<Grouping, "day">;

/** How long ago the newest matching crawl was. */
interface Age {
  /** Days from the newest matching crawl day to today (UTC); null without matching rows. */
  days_old: number | null;
}

/** One combination, as the service counts it. */
type CombinationEntry = Coverage & Age;

type GroupCounts = Pick<Coverage, "corpus_rows" | "matching_rows" | "earliest_date" | "latest_date"> & Age;

/** All combinations that share one retailer, department or category. */
type CoverageGroup = GroupCounts & { combinations: number } & Partial<Record<Summing, string>>;

/** The rows of one crawl day. */
export interface DayGroup extends Age {
  crawl_date: string;
  retailers: number;
  combinations: number;
  matching_rows: number;
}

/** The members of a group, in the order of its columns. */
const GROUP_COLUMNS = ["combinations", "corpus_rows", "matching_rows", "earliest_date", "latest_date"] as const;
const DAY_COLUMNS = ["crawl_date", "retailers", "combinations", "matching_rows"] as const;
const AGE_COLUMN = "days_old";

/** Days from `day` to the day of `now`; null without a day. */
export function daysOld(day: string | null, now: number): number | null {
  return day === null ? null : dayNumber(dayOf(now)) - dayNumber(day);
}

/** Sums the combinations for each value of one dimension. */
function groupCoverage(
  coverage: readonly (Coverage & { brand?: string })[],
  dimension: Summing,
  now: number,
): CoverageGroup[] {
  return [...groupBy(coverage, (entry) => entry[dimension] ?? "")].map(([value, entries]) => {
    const sum = (name: "corpus_rows" | "matching_rows") => entries.reduce((total, entry) => total + entry[name], 0);
    // Without matching rows the dates of an entry have no meaning.
    const matching = entries.filter(({ matching_rows }) => matching_rows > 0);
    const dated = matching.length > 0 ? matching : entries;
    const latest_date = dated.map((entry) => entry.latest_date).reduce((a, b) => (a > b ? a : b));
    return {
      [dimension]: value,
      combinations: entries.length,
      corpus_rows: sum("corpus_rows"),
      matching_rows: sum("matching_rows"),
      earliest_date: dated.map((entry) => entry.earliest_date).reduce((a, b) => (a < b ? a : b)),
      latest_date,
      days_old: matching.length === 0 ? null : daysOld(latest_date, now),
    };
  });
}

function groupDays(days: DayCounts, now: number): DayGroup[] {
  return [...days].map(([crawl_date, counts]) => ({
    crawl_date,
    retailers: retailersOf(counts.keys()).size,
    combinations: counts.size,
    matching_rows: [...counts.values()].reduce((sum, rows) => sum + rows, 0),
    days_old: daysOld(crawl_date, now),
  }));
}

/** The retailers of combinations. */
export function retailersOf(rcds: Iterable<string>): Set<string> {
  return new Set([...rcds].map((rcd) => rcd.slice(0, rcd.indexOf(":"))));
}

export function coverageColumns(groupBy: Grouping | undefined): readonly string[] {
  const columns =
    groupBy === undefined ? COVERAGE_COLUMNS : groupBy === "day" ? DAY_COLUMNS : [groupBy, ...GROUP_COLUMNS];
  return [...columns, AGE_COLUMN];
}

/** Short names of orders; counts and last days are sorted from the largest. */
export function sortWords(groupBy: Grouping | undefined): Readonly<Record<string, SortKey>> {
  const rows = { column: "matching_rows", descending: true };
  if (groupBy === "day") {
    return {
      first: { column: "crawl_date", descending: false },
      last: { column: "crawl_date", descending: true },
      rows,
    };
  }
  return {
    name: { column: groupBy ?? "retailer", descending: false },
    rows,
    first: { column: "earliest_date", descending: false },
    last: { column: "latest_date", descending: true },
  };
}

export type Entry = ListedCombination | DayGroup;

/** The first `limit` entries: by name, or the newest day first, or first by another column. */
export function entriesInOrder<One extends Coverage | Entry>(
  entries: readonly One[],
  { sort, limit }: Pick<ListOptions, "sort" | "limit">,
): One[] {
  const member = (entry: One, column: string) => entry[column as keyof One];
  const named = [...DIMENSIONS, "brand"].reduceRight(
    (sorted, column) => sortBy(sorted, { column, descending: false }, member),
    entries,
  );
  const natural = sortBy(named, { column: "crawl_date", descending: true }, member);
  return sortBy(natural, sort, member).slice(0, limit);
}

/** The days that a list shows, if they are those at one end of the set. */
function endDaysOf({ sort, limit }: ListOptions): EndDays | undefined {
  const { column, descending } = sort ?? { column: "crawl_date", descending: true };
  return limit === undefined || column !== "crawl_date" ? undefined : { most: limit, newestFirst: descending };
}

export type ListedCombination = CombinationEntry | CoverageGroup;

export interface CountedDays {
  response: CoverageResponse;
  /** At least the listed days. */
  days: DayCounts;
  /** Whether these are all days of the set. */
  isComplete: boolean;
  entries: readonly DayGroup[];
}

export interface CountedCombinations {
  response: CoverageResponse;
  days?: undefined;
  groupBy: Summing | undefined;
  /** What is summed up. */
  summed: readonly Coverage[];
  entries: readonly ListedCombination[];
}

/** What counts the rows of a set by other things than combinations. */
export interface DetailCounts {
  /** The coverage of each brand; only of a folder. */
  brands?(): Promise<readonly BrandCoverage[]>;
  /**
   * The rows of every day that matches the filters, or at least of some wanted days.
   *
   * @param coverage of the filters
   * @throws UsageError if that may take more requests than the options allow
   */
  days(coverage: readonly Coverage[], wanted: EndDays | undefined): Promise<DayCounts>;
}

interface Counting {
  groupBy: Grouping | undefined;
  list: ListOptions;
  chartRequests: number | undefined;
  failIf: object | undefined;
}

/** All groups that `--fail-if` is about, listed or not: those of the list, or the retailers if it has no groups. */
export function conditionGroups(counted: CountedDays | CountedCombinations, now: number) {
  if (counted.days !== undefined) {
    return groupDays(counted.days, now).map((day) => ({ name: day.crawl_date, ...day }));
  }
  const dimension = counted.groupBy ?? "retailer";
  return groupCoverage(counted.summed, dimension, now).map((group) => ({ name: group[dimension] ?? "", ...group }));
}

export async function countedBy(
  { groupBy, list, chartRequests, failIf }: Counting,
  response: CoverageResponse,
  { days: daysOf, brands }: DetailCounts,
  now: number,
): Promise<CountedDays | CountedCombinations> {
  if (groupBy === "day") {
    // A chart draws the days that are not listed, too, and a condition is about all of them.
    const isOfList = chartRequests === undefined && failIf === undefined;
    const days = await daysOf(response.data, isOfList ? endDaysOf(list) : undefined);
    const all = groupDays(days, now);
    const rows = all.reduce((sum, { matching_rows }) => sum + matching_rows, 0);
    const isComplete = rows === response.meta.coverage.matching_rows;
    return { response, days, isComplete, entries: entriesInOrder(all, list) };
  }
  const summed = groupBy === "brand" ? ((await brands?.()) ?? []) : response.data;
  const entries =
    groupBy === undefined
      ? response.data.map((entry) => ({
          ...entry,
          days_old: entry.matching_rows === 0 ? null : daysOld(entry.latest_date, now),
        }))
      : groupCoverage(summed, groupBy, now);
  return { response, groupBy, summed, entries: entriesInOrder<ListedCombination>(entries, list) };
}
