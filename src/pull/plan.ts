import { hash } from "node:crypto";
import type { CoverageResponse } from "../client/responses/coverage-response.ts";
import type { Coverage } from "../contract/coverage.ts";
import { type Filters, fitsRequest, RCD_LENGTH } from "../contract/filters.ts";
import { groupBy } from "../contract/values/group-by.ts";
import { cutByDate, type DateRange } from "./date-cuts.ts";
import { ofRetailer, type SetFilters, windowOf } from "./set-filters.ts";

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
  /** Expected requests of the walks, without the coverage request, see `requestsOf`. */
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
 * @param data one entry per matching combination, from one coverage request with `filters`
 * @param slicePages pages of a full slice; taken from an earlier plan to keep its cuts
 * @param byDays cut by crawl days in any case, if one request can carry the filters
 */
export function planPull(
  { data, version }: Pick<CoverageResponse, "data" | "version">,
  filters: SetFilters,
  pageSize: number,
  slicePages = pagesOfSlice(data, pageSize),
  byDays = false,
): Plan {
  const nameOf = (entry: Coverage) => [entry.retailer, entry.department, entry.category].join("\u0000");
  const matching = data.filter((entry) => entry.matching_rows > 0).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  // Retailers with days of their own come one after another, as in the canonical order.
  const parts: [Filters, readonly Coverage[]][] =
    filters.own_days === undefined
      ? [[filters, matching]]
      : [...groupBy(matching, ({ retailer }) => retailer)].map(([name, own]) => [ofRetailer(filters, name), own]);
  const slices = parts.flatMap(([part, coverage]) => cut(coverage, part, pageSize, slicePages, byDays));
  const requests = requestsOf(slices, pageSize, version);
  return { slices, totalRows: matchingRowsOf(matching), requests, ...(version !== undefined && { version }) };
}

function cut(
  coverage: readonly Coverage[],
  filters: Filters,
  pageSize: number,
  slicePages: number,
  byDays: boolean,
): Slice[] {
  if (!fitsRequest(filters) || coverage.length === 0) {
    return cutByCombination(coverage, filters, pageSize, slicePages);
  }
  const rows = matchingRowsOf(coverage);
  if (rows <= pageSize && slicePages === 1) {
    return slicesOf(coverage, [{ filters, rows }]);
  }
  const byDate = slicesOf(coverage, cutByDate(coverage, filters, (slicePages - SLACK) * pageSize));
  if (byDays) {
    return byDate;
  }
  const byCombination = cutByCombination(coverage, filters, pageSize, slicePages);
  const isDearer = pagesOf(byCombination, pageSize) > pagesOf(byDate, pageSize) * 1.02;
  return isDearer && byDate.length > 1 ? byDate : byCombination;
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

function cutByCombination(
  coverage: readonly Coverage[],
  { start_date, end_date }: Filters,
  pageSize: number,
  slicePages: number,
): Slice[] {
  const dates = windowOf(start_date, end_date);
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
  return slices;
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

/** The slices of a group: the ranges into which these combinations are cut. */
function slicesOf(members: readonly Coverage[], ranges: readonly DateRange[]): Slice[] {
  const facts = members.map((entry) => [entry.rcd, entry.matching_rows, entry.earliest_date, entry.latest_date]);
  const digest = shortHash(facts);
  const group = { rows: matchingRowsOf(members), slices: ranges.length };
  return ranges.map((range) => ({ ...range, group, key: shortHash([range.filters, digest]) }));
}

/** Expected pages. In a group that is cut by date, half of the last page of each slice is empty on average. */
function pagesOf(slices: readonly Slice[], pageSize: number): number {
  const groups = [...new Set(slices.map(({ group }) => group))];
  return groups.reduce((sum, group) => sum + Math.ceil(group.rows / pageSize + (group.slices - 1) / 2), 0);
}

/**
 * Expected requests of walks: their pages, and one page of each longer slice again, see `walkSlice`; none again of a service
 * that names the version of its data.
 */
export function requestsOf(slices: readonly Slice[], pageSize: number, version: string | undefined): number {
  const readAgain = version === undefined ? slices.filter(({ rows }) => rows > pageSize).length : 0;
  return pagesOf(slices, pageSize) + readAgain;
}

function matchingRowsOf(coverage: readonly Coverage[]): number {
  return coverage.reduce((sum, entry) => sum + entry.matching_rows, 0);
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
