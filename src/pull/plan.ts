import { hash } from "node:crypto";
import type { Coverage } from "../contract/coverage.ts";
import { type Filters, fitsRequest, RCD_LENGTH } from "../contract/filters.ts";
import { cutByDate } from "./date-cuts.ts";
import { ofRetailer, type SetFilters } from "./set-filters.ts";

/** A part of the set that is walked with one cursor and one set of filters. */
export interface Slice {
  /** Identifies it by its filters and the coverage of its group. */
  key: string;
  filters: Filters;
  /** Index of the group whose rows this slice is a part of. */
  group: number;
  /** Number of its rows, or an estimate if its group is cut by date. */
  rows: number;
}

/** A slice without its key, which depends on its group. */
type Cut = Omit<Slice, "key">;

/** Slices that together have a number of rows that is known from the coverage. */
export interface SliceGroup {
  rows: number;
  /** Digest of its coverage: the counts and days of its combinations. */
  digest: string;
}

/** How a set is pulled. The slices together match each row of the set exactly once, in canonical order. */
export interface Plan {
  slices: readonly Slice[];
  groups: readonly SliceGroup[];
  totalRows: number;
  /** Expected pages of the set. */
  pages: number;
  /** Expected requests of the walks, without the coverage request: the pages, and those that are requested again. */
  requests: number;
}

/** A set of at most this many pages may have one slice per page, so that as many as possible are walked at once. */
const SMALL_SET = 48;

/** Number of slices of a larger set. */
const SLICES = 32;

/**
 * Pages of a set from which the length of a slice is limited. The half-empty last page of a slice costs 2 % of 25 pages;
 * a longer slice keeps more pages waiting.
 */
const LARGE_SET = 400;
const SLICE_OF_LARGE_SET = { shortest: 18, longest: 30 };

/** Share of a page that a cut by date leaves free, because rows are not spread over the days quite evenly. */
const SLACK = 0.15;

/**
 * Cuts a set into slices: contiguous groups of combinations in canonical order (retailer, department, category by code
 * unit). A combination that is much larger than a slice is cut by crawl days. With many small combinations, the length
 * limit of a URL would make the slices short. Then the whole set is cut by crawl days, if one request can carry its
 * filters.
 *
 * A pure function of its arguments.
 *
 * @param coverage one entry per matching combination, from one coverage request with `filters`
 * @param slicePages pages of a full slice; taken from an earlier plan to keep its cuts
 * @param byDays cut by crawl days in any case, if one request can carry the filters
 */
export function planSlices(
  coverage: readonly Coverage[],
  filters: SetFilters,
  pageSize: number,
  slicePages = pagesOfSlice(coverage, pageSize),
  byDays = false,
): Plan {
  if (filters.own_days !== undefined) {
    return planRetailers(coverage, filters, pageSize, slicePages);
  }
  const matching = coverage.filter((entry) => entry.matching_rows > 0).sort(byCanonicalOrder);
  const rows = matchingRowsOf(matching);
  if (rows === 0) {
    return planOf([], [], pageSize);
  }
  const isOneRequest = fitsRequest(filters);
  if (isOneRequest && rows <= pageSize && slicePages === 1) {
    return planOf([{ filters, group: 0, rows }], [groupOf(matching)], pageSize);
  }
  if (isOneRequest && byDays) {
    return planByDate(matching, filters, pageSize, slicePages);
  }
  const byCombination = planByCombination(matching, filters, pageSize, slicePages);
  if (!isOneRequest) {
    return byCombination;
  }
  const byDate = planByDate(matching, filters, pageSize, slicePages);
  return byCombination.pages > byDate.pages * 1.02 && byDate.slices.length > 1 ? byDate : byCombination;
}

/** One plan after another for retailers with days of their own; the canonical order begins with the retailer. */
function planRetailers(coverage: readonly Coverage[], filters: SetFilters, pageSize: number, slicePages: number): Plan {
  const slices: Cut[] = [];
  const groups: SliceGroup[] = [];
  for (const retailer of [...new Set(coverage.map((entry) => entry.retailer))].sort()) {
    const own = coverage.filter((entry) => entry.retailer === retailer);
    const plan = planSlices(own, ofRetailer(filters, retailer), pageSize, slicePages);
    const before = groups.length;
    slices.push(...plan.slices.map((slice) => ({ ...slice, group: slice.group + before })));
    groups.push(...plan.groups);
  }
  return planOf(slices, groups, pageSize);
}

/** Pages of a full slice, from the size of the set. */
export function pagesOfSlice(coverage: readonly Coverage[], pageSize: number): number {
  const pages = Math.ceil(matchingRowsOf(coverage) / pageSize);
  if (pages <= SMALL_SET) {
    return 1;
  }
  const even = Math.ceil(pages / SLICES);
  const { shortest, longest } = SLICE_OF_LARGE_SET;
  return pages < LARGE_SET ? even : Math.min(longest, Math.max(shortest, even));
}

function planByCombination(
  coverage: readonly Coverage[],
  { start_date, end_date }: Filters,
  pageSize: number,
  slicePages: number,
): Plan {
  const dates = { ...(start_date !== undefined && { start_date }), ...(end_date !== undefined && { end_date }) };
  const slices: Cut[] = [];
  const groups: SliceGroup[] = [];
  const target = slicePages * pageSize;
  let start = 0;
  while (start < coverage.length) {
    const end = endOfGroup(coverage, start, target, pageSize);
    const members = coverage.slice(start, end);
    const rows = matchingRowsOf(members);
    const group = groups.push(groupOf(members)) - 1;
    const own = { ...dates, rcd: members.map((entry) => entry.rcd).join(",") };
    const isLarge = members.length === 1 && rows > target * 1.5 + pageSize / 2;
    const ranges = isLarge ? cutByDate(members, own, target - SLACK * pageSize) : [{ filters: own, rows }];
    slices.push(...ranges.map((range) => ({ ...range, group })));
    start = end;
  }
  return planOf(slices, groups, pageSize);
}

/**
 * The end of a group that starts at `start`: between half a slice and one and a half, at the cut that leaves the least
 * free space on its last page, within the length limit of a URL.
 */
function endOfGroup(coverage: readonly Coverage[], start: number, target: number, pageSize: number): number {
  let rows = 0;
  let length = 0;
  let best = start + 1;
  let leastWaste = Number.POSITIVE_INFINITY;
  for (let at = start; at < coverage.length; at += 1) {
    const entry = coverage[at] as Coverage;
    rows += entry.matching_rows;
    length += encodeURIComponent(`,${entry.rcd}`).length;
    if (at > start && (rows > target * 1.5 || length > RCD_LENGTH)) {
      break;
    }
    const pages = Math.ceil(rows / pageSize);
    const waste = (pages * pageSize - rows) / rows;
    if (rows < target / 2 || waste <= leastWaste) {
      best = at + 1;
      leastWaste = rows < target / 2 ? Number.POSITIVE_INFINITY : waste;
    }
  }
  return best;
}

function planByDate(coverage: readonly Coverage[], filters: Filters, pageSize: number, slicePages: number): Plan {
  const slices = cutByDate(coverage, filters, (slicePages - SLACK) * pageSize).map((range) => ({ ...range, group: 0 }));
  return planOf(slices, [groupOf(coverage)], pageSize);
}

/** In a group that is cut by date, half of the last page of each slice is empty on average. */
function planOf(slices: readonly Cut[], groups: readonly SliceGroup[], pageSize: number): Plan {
  const cuts = groups.map(() => -1);
  for (const { group } of slices) {
    cuts[group] = (cuts[group] ?? 0) + 1;
  }
  const pagesOf = ({ rows }: SliceGroup, index: number) => Math.ceil(rows / pageSize + (cuts[index] ?? 0) / 2);
  const pages = groups.map(pagesOf).reduce((sum, count) => sum + count, 0);
  const readAgain = slices.map(({ rows }) => pagesReadAgain(Math.ceil(rows / pageSize)));
  return {
    slices: slices.map((slice) => ({ ...slice, key: shortHash([slice.filters, groups[slice.group]?.digest]) })),
    groups,
    totalRows: groups.reduce((sum, { rows }) => sum + rows, 0),
    pages,
    requests: readAgain.reduce((sum, count) => sum + count, pages),
  };
}

/** Pages of a slice that are requested again, see `walkSlice`. @param pages of the slice */
export function pagesReadAgain(pages: number): number {
  return pages > 1 ? 1 : 0;
}

function matchingRowsOf(coverage: readonly Coverage[]): number {
  return coverage.reduce((sum, entry) => sum + entry.matching_rows, 0);
}

function byCanonicalOrder(a: Coverage, b: Coverage): number {
  const byCodeUnit = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  return (
    byCodeUnit(a.retailer, b.retailer) || byCodeUnit(a.department, b.department) || byCodeUnit(a.category, b.category)
  );
}

function groupOf(members: readonly Coverage[]): SliceGroup {
  const facts = members.map((entry) => [entry.rcd, entry.matching_rows, entry.earliest_date, entry.latest_date]);
  return { rows: matchingRowsOf(members), digest: shortHash(facts) };
}

function shortHash(value: unknown): string {
  return hash("sha256", JSON.stringify(value)).slice(0, 16);
}

/** Number of leading slices that are the same in both plans, counted in whole groups. */
export function commonSlices(a: Plan, b: Plan): number {
  const different = a.slices.findIndex(({ key }, index) => key !== b.slices[index]?.key);
  return different === -1 ? a.slices.length : a.slices.findIndex((slice) => slice.group === a.slices[different]?.group);
}

/** The first slices that together have at least `rows` rows, in whole groups. */
export function firstSlices(plan: Plan, rows: number): readonly Slice[] {
  let sum = 0;
  for (const [index, group] of plan.groups.entries()) {
    sum += group.rows;
    if (sum >= rows) {
      return plan.slices.filter((slice) => slice.group <= index);
    }
  }
  return plan.slices;
}
