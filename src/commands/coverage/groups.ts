import type { ListOptions } from "../../cli/flags/list.ts";
import { sortBy } from "../../cli/order.ts";
import { type Coverage, type CoverageSummary, summaryOf } from "../../contract/coverage.ts";
import { splitRcd } from "../../contract/filters.ts";
import { dayNumber, dayOf, daysBetween } from "../../contract/values/day-arithmetic.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { coverageColumns, DIMENSIONS, type Grouping } from "./columns.ts";
import type { Counts, DayRows, Part } from "./counts.ts";

/** A combination, a group, a day or a total. Not every kind has every member. */
export interface Entry extends Partial<Record<Name | "rcd", string>> {
  retailers?: number;
  combinations?: number;
  corpus_rows?: number;
  matching_rows: number;
  earliest_date?: string | null;
  latest_date?: string | null;
  days_old: number | null;
}

type Name = Exclude<Grouping, "day"> | "crawl_date";

/** What is listed: combinations, or groups of them. */
export interface Listing {
  /** The columns that name an entry. */
  names: readonly [Name, ...Name[]];
  /** All columns of an entry, in the order of its members. */
  columns: readonly string[];
  entries: readonly Entry[];
  total: Entry;
  label: string;
}

export function listingOf(counts: Counts, grouping: Grouping | undefined, now: number): Listing {
  const { summary, days } = counts;
  const columns = coverageColumns(grouping);
  const total = { ...summary, days_old: daysOld(summary.latest_date, now) };
  if (grouping === undefined) {
    const entries = combinationEntries(counts.combinations, now);
    return { names: DIMENSIONS, columns, entries, total, label: `total of ${groupDigits(summary.combinations)}` };
  }
  if (grouping === "day") {
    const entries = groupDays(days, now);
    const label = plural(entries.length, "day");
    return { names: ["crawl_date"], columns, entries, total: { ...total, ...sumOfDays(days) }, label };
  }
  const entries = groupParts(counts, grouping, now);
  const { corpus_rows } = summaryOf(entries);
  return { names: [grouping], columns, entries, total: { ...total, corpus_rows }, label: "total" };
}

/** Days from `day` to the day of `now` (UTC); null without a day, or for a later one. */
export function daysOld(day: string | null, now: number): number | null {
  return day === null || day > dayOf(now) ? null : dayNumber(dayOf(now)) - dayNumber(day);
}

export type CombinationEntry = ReturnType<typeof combinationEntries>[number];

/** Each combination with the days since its newest crawl; null without matching rows, whose dates have no meaning. */
export function combinationEntries(combinations: readonly Coverage[], now: number) {
  return combinations.map((one) => ({
    ...one,
    days_old: one.matching_rows === 0 ? null : daysOld(one.latest_date, now),
  }));
}

/** What parts have together. A day after today (UTC) is the newest only of parts that have no other. */
export function sumOfParts(parts: readonly Part[], now: number): CoverageSummary {
  const all = summaryOf(parts);
  const today = dayOf(now);
  const known = summaryOf(parts.filter(({ latest_date }) => latest_date <= today));
  return { ...all, latest_date: known.latest_date ?? all.latest_date };
}

function groupParts({ parts, undated }: Counts, dimension: Exclude<Grouping, "day">, now: number) {
  const corpus = groupBy(undated, (part) => part[dimension]);
  return [...groupBy(parts, (part) => part[dimension])].map(([value, own]) => {
    const { combinations, corpus_rows: _, ...matching } = sumOfParts(own, now);
    const { corpus_rows } = summaryOf(corpus.get(value) ?? []);
    const days_old = daysOld(matching.latest_date, now);
    return { [dimension]: value, combinations, corpus_rows, ...matching, days_old };
  });
}

function groupDays(days: readonly DayRows[], now: number): Entry[] {
  return [...groupBy(days, ({ day }) => day)].map(([crawl_date, counts]) => ({
    crawl_date,
    ...sumOfDays(counts),
    days_old: daysOld(crawl_date, now),
  }));
}

function sumOfDays(counts: readonly DayRows[]) {
  const rcds = [...new Set(counts.map(({ rcd }) => rcd))];
  return {
    retailers: new Set(rcds.map((rcd) => splitRcd(rcd).retailer)).size,
    combinations: rcds.length,
    matching_rows: counts.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** Says how many days between the first and the last have no rows; nothing if every day has some. */
export function describeGaps({ earliest_date, latest_date }: CoverageSummary, days: number): string[] {
  const gaps = earliest_date === null || latest_date === null ? 0 : daysBetween(earliest_date, latest_date) - days;
  const what = gaps === 1 ? "1 day without rows is" : `${groupDigits(gaps)} days without rows are`;
  return gaps === 0 ? [] : [`${what} not listed`];
}

/** The first `limit` entries: by name, or the newest day first, or first by another column. */
export function entriesInOrder<One extends Entry>(
  entries: readonly One[],
  { sort, limit }: Partial<ListOptions> = {},
): One[] {
  const read = (entry: Entry, column: string) => entry[column as keyof Entry];
  const named = [...DIMENSIONS, "brand"].reduceRight(
    (sorted, column) => sortBy(sorted, { column, descending: false }, read),
    entries,
  );
  const natural = sortBy(named, { column: "crawl_date", descending: true }, read);
  return sortBy(natural, sort, read).slice(0, limit);
}
