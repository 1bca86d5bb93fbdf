import type { ListOptions } from "../../cli/flags/list.ts";
import { sortBy } from "../../cli/order.ts";
import type { CoverageResponse } from "../../client/responses/coverage-response.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { summaryOf } from "../../contract/coverage.ts";
import { splitRcd } from "../../contract/filters.ts";
import { dayNumber, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { DIMENSIONS } from "./columns.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts } from "./day-counts.ts";
import type { CoverageOptions, Summing } from "./options.ts";

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

type Part = Coverage & { brand?: string };

/**
 * Sums the combinations for each value of one dimension.
 *
 * @param undated the combinations without the date filters: the corpus of a group includes those without a row on these days
 */
function groupCoverage(coverage: readonly Part[], undated: readonly Part[], dimension: Summing, now: number) {
  const corpus = groupBy(undated, (entry) => entry[dimension] ?? "");
  return [...groupBy(coverage, (entry) => entry[dimension] ?? "")].map(([value, entries]) => {
    const name: Partial<Record<Summing, string>> = { [dimension]: value };
    const { combinations, corpus_rows: _, ...matching } = summaryOf(entries);
    const { corpus_rows } = summaryOf(corpus.get(value) ?? []);
    return { ...name, combinations, corpus_rows, ...matching, days_old: daysOld(matching.latest_date, now) };
  });
}

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

export type Entry = CombinationEntry | ReturnType<typeof groupCoverage | typeof groupDays>[number];

/** A member of an entry by the name of its column; null without it. */
export function entryMember(entry: Entry, column: string): string | number | null {
  return (entry as Readonly<Record<string, string | number | null>>)[column] ?? null;
}

/** The first `limit` entries: by name, or the newest day first, or first by another column. */
export function entriesInOrder<One extends Entry>(
  entries: readonly One[],
  { sort, limit }: Partial<ListOptions> = {},
): One[] {
  const named = [...DIMENSIONS, "brand"].reduceRight(
    (sorted, column) => sortBy(sorted, { column, descending: false }, entryMember),
    entries,
  );
  const natural = sortBy(named, { column: "crawl_date", descending: true }, entryMember);
  return sortBy(natural, sort, entryMember).slice(0, limit);
}

/** What is counted of a set. */
export interface Counted {
  response: CoverageResponse;
  /** What the list shows: days, groups or combinations. */
  entries: readonly Entry[];
  /** What `--fail-if` is about, listed or not: the days or groups of the list, or the retailers of one without groups. */
  groups: readonly Entry[];
  /** The days of the set, if each was counted. */
  days: DayCounts | undefined;
}

export async function countedBy(
  { groupBy, list, failIf }: CoverageOptions,
  response: CoverageResponse,
  source: CoverageSource,
  now: number,
): Promise<Counted> {
  if (groupBy === "day") {
    const days = await source.days(response);
    const groups = groupDays(days, now);
    return { response, entries: entriesInOrder(groups, list), groups, days };
  }
  const summed = groupBy === "brand" ? await source.brands(source.filters) : response.data;
  const isGrouped = groupBy !== undefined;
  const groups =
    isGrouped || failIf !== undefined
      ? groupCoverage(summed, await undatedParts(groupBy, summed, source), groupBy ?? "retailer", now)
      : [];
  const entries: Entry[] = isGrouped ? groups : combinationEntries(summed, now);
  return {
    response: isGrouped ? withCorpusOf(groups, response) : response,
    entries: entriesInOrder(entries, list),
    groups,
    days: undefined,
  };
}

/** The response with the corpus rows of all groups together. */
function withCorpusOf(groups: readonly { corpus_rows: number }[], { meta, ...response }: CoverageResponse) {
  const corpus_rows = groups.reduce((sum, group) => sum + group.corpus_rows, 0);
  return { ...response, meta: { ...meta, coverage: { ...meta.coverage, corpus_rows } } };
}

/** What is summed, without the date filters. */
async function undatedParts(
  groupBy: CoverageOptions["groupBy"],
  dated: readonly Part[],
  { client, filters, brands, signal }: CoverageSource,
): Promise<readonly Part[]> {
  const { start_date, end_date, ...undated } = filters;
  if (start_date === undefined && end_date === undefined) {
    return dated;
  }
  return groupBy === "brand" ? await brands(undated) : (await client.coverage(undated, signal)).data;
}
