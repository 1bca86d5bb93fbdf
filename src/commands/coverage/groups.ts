import type { CoverageResponse } from "../../api/responses/coverage-response.ts";
import type { ListOptions } from "../../cli/flags/list.ts";
import { sortBy } from "../../cli/order.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { splitRcd } from "../../contract/filters.ts";
import { dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { summaryOf } from "../../pull/set-client.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts, EndDays } from "./day-counts.ts";
import { type CoverageOptions, DIMENSIONS, type Summing } from "./options.ts";

/** Days from `day` to the day of `now` (UTC); null without a day. */
export function daysOld(day: string | null, now: number): number | null {
  return day === null ? null : dayNumber(dayOf(now)) - dayNumber(day);
}

export type CombinationEntry = ReturnType<typeof combinationEntries>[number];

/** Each combination with the days since its newest crawl; null without matching rows, whose dates have no meaning. */
export function combinationEntries(coverage: readonly Coverage[], now: number) {
  return coverage.map((entry) => ({
    ...entry,
    days_old: entry.matching_rows === 0 ? null : daysOld(entry.latest_date, now),
  }));
}

/** Sums the combinations for each value of one dimension. */
function groupCoverage(coverage: readonly (Coverage & { brand?: string })[], dimension: Summing, now: number) {
  return [...groupBy(coverage, (entry) => entry[dimension] ?? "")].map(([value, entries]) => {
    const name: Partial<Record<Summing, string>> = { [dimension]: value };
    const { combinations, corpus_rows, ...matching } = summaryOf(entries);
    return { ...name, combinations, corpus_rows, ...matching, days_old: daysOld(matching.latest_date, now) };
  });
}

export type DayGroup = ReturnType<typeof groupDays>[number];

function groupDays(days: DayCounts, now: number) {
  return [...days].map(([crawl_date, counts]) => ({
    crawl_date,
    retailers: numberOfRetailers([...counts.keys()]),
    combinations: counts.size,
    matching_rows: [...counts.values()].reduce((sum, rows) => sum + rows, 0),
    days_old: daysOld(crawl_date, now),
  }));
}

export function numberOfRetailers(rcds: readonly string[]): number {
  return new Set(rcds.map((rcd) => splitRcd(rcd).retailer)).size;
}

export type ListedCombination = CombinationEntry | ReturnType<typeof groupCoverage>[number];
export type Entry = ListedCombination | DayGroup;

/** The first `limit` entries: by name, or the newest day first, or first by another column. */
export function entriesInOrder<One extends Entry>(
  entries: readonly One[],
  { sort, limit }: Partial<ListOptions> = {},
): One[] {
  const member = (entry: One, column: string) => entry[column as keyof One];
  const named = [...DIMENSIONS, "brand"].reduceRight(
    (sorted, column) => sortBy(sorted, { column, descending: false }, member),
    entries,
  );
  const natural = sortBy(named, { column: "crawl_date", descending: true }, member);
  return sortBy(natural, sort, member).slice(0, limit);
}

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

export type Counted = CountedDays | CountedCombinations;

/** Counts what the list shows: days, groups, or the combinations of `response`. */
export async function countedBy(
  { groupBy, list, chartRequests, failIf }: CoverageOptions,
  response: CoverageResponse,
  source: CoverageSource,
  now: number,
): Promise<Counted> {
  if (groupBy === "day") {
    // A chart draws the days that are not listed, too, and a condition is about all of them.
    const isOfList = chartRequests === undefined && failIf === undefined;
    const days = await source.days(response.data, isOfList ? endDaysOf(list) : undefined);
    const all = groupDays(days, now);
    const rows = all.reduce((sum, { matching_rows }) => sum + matching_rows, 0);
    const isComplete = rows === response.meta.coverage.matching_rows;
    return { response, days, isComplete, entries: entriesInOrder(all, list) };
  }
  const summed = groupBy === "brand" ? await source.brands() : response.data;
  const entries = groupBy === undefined ? combinationEntries(summed, now) : groupCoverage(summed, groupBy, now);
  return { response, groupBy, summed, entries: entriesInOrder<ListedCombination>(entries, list) };
}

/** The days that a list shows, if they are those at one end of the set. */
function endDaysOf({ sort, limit }: ListOptions): EndDays | undefined {
  const { column, descending } = sort ?? { column: "crawl_date", descending: true };
  return limit === undefined || column !== "crawl_date" ? undefined : { most: limit, newestFirst: descending };
}

/** All groups that `--fail-if` is about, listed or not: those of the list, or the retailers if it has no groups. */
export function conditionGroups(counted: Counted, now: number) {
  if (counted.days !== undefined) {
    return groupDays(counted.days, now).map((day) => ({ name: day.crawl_date, ...day }));
  }
  const dimension = counted.groupBy ?? "retailer";
  return groupCoverage(counted.summed, dimension, now).map((group) => ({ name: group[dimension] ?? "", ...group }));
}
