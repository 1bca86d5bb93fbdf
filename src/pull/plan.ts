import { hash } from "node:crypto";
import type { CoverageResponse } from "../api/responses/coverage-response.ts";
import type { Coverage } from "../contract/coverage.ts";
import { type Filters, fitsRequest, RCD_LENGTH } from "../contract/filters.ts";
import { cutByDate, type DateRange } from "./date-cuts.ts";
import { ofRetailer, type SetFilters } from "./set-filters.ts";

/** A part of the set that is walked with one cursor and one set of filters. */
export interface Slice {
  /** Identifies it by its filters and the coverage of its group. */
  key: string;
  filters: Filters;
  /** The group whose rows this slice is a part of. */
  group: SliceGroup;
  /** Number of its rows, or an estimate if its group is cut by date. */
  rows: number;
}

/** Slices that together have a number of rows that is known from the coverage. */
export interface SliceGroup {
  rows: number;
  /** Number of its slices. */
  slices: number;
}

/** How a set is pulled. The slices together match each row of the set exactly once, in canonical order. */
export interface Plan {
  slices: readonly Slice[];
  totalRows: number;
  /** Expected pages of the set. */
  pages: number;
  /** Expected requests of the walks, without the coverage request: the pages, and those that are requested again. */
  requests: number;
  /** Of the data, that the coverage was of. Undefined if the service names none. */
  version?: string | undefined;
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
    return planOf([], pageSize);
  }
  const isOneRequest = fitsRequest(filters);
  if (isOneRequest && rows <= pageSize && slicePages === 1) {
    return planOf(slicesOf(matching, [{ filters, rows }]), pageSize);
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
  const retailers = [...new Set(coverage.map((entry) => entry.retailer))].sort();
  const slices = retailers.flatMap((retailer) => {
    const own = coverage.filter((entry) => entry.retailer === retailer);
    return planSlices(own, ofRetailer(filters, retailer), pageSize, slicePages).slices;
  });
  return planOf(slices, pageSize);
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
  const slices: Slice[] = [];
  const target = slicePages * pageSize;
  let start = 0;
  while (start < coverage.length) {
    const end = endOfGroup(coverage, start, target, pageSize);
    const members = coverage.slice(start, end);
    const rows = matchingRowsOf(members);
    const own = { ...dates, rcd: members.map((entry) => entry.rcd).join(",") };
    const isLarge = members.length === 1 && rows > target * 1.5 + pageSize / 2;
    const ranges = isLarge ? cutByDate(members, own, target - SLACK * pageSize) : [{ filters: own, rows }];
    slices.push(...slicesOf(members, ranges));
    start = end;
  }
  return planOf(slices, pageSize);
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
  const ranges = cutByDate(coverage, filters, (slicePages - SLACK) * pageSize);
  return planOf(slicesOf(coverage, ranges), pageSize);
}

/** The slices of a group: the ranges into which these combinations are cut. */
function slicesOf(members: readonly Coverage[], ranges: readonly DateRange[]): Slice[] {
  const facts = members.map((entry) => [entry.rcd, entry.matching_rows, entry.earliest_date, entry.latest_date]);
  const digest = shortHash(facts);
  const group = { rows: matchingRowsOf(members), slices: ranges.length };
  return ranges.map((range) => ({ ...range, group, key: shortHash([range.filters, digest]) }));
}

/** In a group that is cut by date, half of the last page of each slice is empty on average. */
function planOf(slices: readonly Slice[], pageSize: number): Plan {
  const groups = [...new Set(slices.map(({ group }) => group))];
  const pages = groups.reduce((sum, group) => sum + Math.ceil(group.rows / pageSize + (group.slices - 1) / 2), 0);
  const readAgain = slices.map(({ rows }) => pagesReadAgain(Math.ceil(rows / pageSize)));
  return {
    slices,
    totalRows: groups.reduce((sum, { rows }) => sum + rows, 0),
    pages,
    requests: readAgain.reduce((sum, count) => sum + count, pages),
  };
}

/**
 * The plan of a pull from its coverage, see `planSlices`. Of a service that names the version of its data, no page is requested
 * again.
 */
export function planPull(
  { data, version }: Pick<CoverageResponse, "data" | "version">,
  ...cuts: [filters: SetFilters, pageSize: number, slicePages?: number, byDays?: boolean]
): Plan {
  const plan = planSlices(data, ...cuts);
  return version === undefined ? plan : { ...plan, requests: plan.pages, version };
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

function shortHash(value: unknown): string {
  return hash("sha256", JSON.stringify(value)).slice(0, 16);
}

/** The first slices that together have at least `rows` rows, in whole groups. */
export function firstSlices({ slices }: Plan, rows: number): readonly Slice[] {
  let sum = 0;
  for (const [index, { group }] of slices.entries()) {
    if (group !== slices[index - 1]?.group) {
      if (sum >= rows) {
        return slices.slice(0, index);
      }
      sum += group.rows;
    }
  }
  return slices;
}
