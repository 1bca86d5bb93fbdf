import { hash } from "node:crypto";
import type { CoverageResponse } from "../client/responses/coverage-response.ts";
import { type Coverage, summaryOf } from "../contract/coverage.ts";
import { type Filters, fitsRequest, RCD_LENGTH } from "../contract/filters.ts";
import { groupBy } from "../contract/values/group-by.ts";
import { cutByDate, type DateRange } from "./date-cuts.ts";
import { filtersOfRetailer, type SetFilters, windowOf } from "./set-filters.ts";
import { DEFAULT_CONCURRENCY } from "./walkers.ts";

/** A part of the set that is walked with one cursor and one set of filters. */
export interface Slice {
  /** Made from its filters. */
  id: string;
  filters: Filters;
  /** The group whose rows this slice is a part of. */
  group: SliceGroup;
  rows: number;
  /** Whether `rows` is a count of the coverage. Otherwise it is an estimate, because the group is cut by date. */
  isExact: boolean;
}

/** Slices whose rows the coverage counts together. */
export interface SliceGroup {
  rows: number;
}

/** How a set is pulled. The slices together match each row of the set exactly once, in canonical order. */
export interface Plan {
  slices: readonly Slice[];
  totalRows: number;
  /** Expected pages of the slices. */
  pages: number;
  /** Version of the data that the coverage counted. Undefined if the service names none. */
  version?: string | undefined;
}

/**
 * Number of full-length slices of a set of this many pages. A pull should send at most 8 + 2 % requests more than the set has
 * pages. Rechecks take 4 of the 8, or 1 %. The rest is for the last page of each slice, which may be nearly empty: for a few
 * short slices (see `GROWTH`), 3 full ones, and one more for each 80 pages (1.25 %). More slices than walkers would not be faster.
 */
const fullSlices = (pages: number) => Math.min(DEFAULT_CONCURRENCY, 3 + pages / 80);

/** Pages of the shortest full slice. */
const SHORTEST_PAGES = 6;

/** Growth factor of successive slices until they reach full length. */
const GROWTH = 4;

/** Rows of the longest slice. A walk keeps the hashes of the ids of its slice, 20 bytes each. */
const LONGEST_ROWS = 50_000;

/** Share of a page that a cut by date leaves free, because rows are not spread over the days quite evenly. */
const SLACK = 0.15;

/**
 * Cuts a set into slices: contiguous groups of combinations in canonical order (retailer, department, category by code
 * unit). A combination that is much larger than a slice is cut by crawl days. With many small combinations, the length
 * limit of a URL would make the slices short. Then the whole set is cut by crawl days, if one request can carry its
 * filters. The first slice has one page, and each following one has four times as many as the one before, until they are
 * full, so that stdout gets its first rows soon.
 *
 * A pure function of its arguments.
 *
 * @param data one entry per matching combination, from one coverage request with `filters`
 * @param slicePages pages of a full slice; taken from an earlier plan to keep its cuts
 */
export function planPull(
  { data, version }: Pick<CoverageResponse, "data" | "version">,
  filters: SetFilters,
  pageSize: number,
  slicePages = fullSlicePages(data, pageSize),
): Plan {
  const sortKeyOf = (entry: Coverage) => [entry.retailer, entry.department, entry.category].join("\u0000");
  const matching = data
    .filter((entry) => entry.matching_rows > 0)
    .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
  // Retailers with days of their own come one after another, as in the canonical order.
  const parts: [Filters, readonly Coverage[]][] =
    filters.daysByRetailer === undefined
      ? [[filters, matching]]
      : [...groupBy(matching, ({ retailer }) => retailer)].map(([name, entries]) => [
          filtersOfRetailer(filters, name),
          entries,
        ]);
  const slices: Slice[] = [];
  for (const [part, coverage] of parts) {
    slices.push(...cutPart(coverage, part, { pageSize, slicePages, before: slices.length }));
  }
  const pages = expectedPages(slices, pageSize);
  return { slices, totalRows: summaryOf(matching).matching_rows, pages, ...(version !== undefined && { version }) };
}

interface CutOptions {
  pageSize: number;
  /** Of a full slice. */
  slicePages: number;
  /** Number of the slices before these. */
  before: number;
}

/** The slices of a part of the set whose rows have common filters. */
function cutPart(coverage: readonly Coverage[], filters: Filters, options: CutOptions): Slice[] {
  if (!fitsRequest(filters) || coverage.length === 0) {
    return cutByCombination(coverage, filters, options);
  }
  const rows = summaryOf(coverage).matching_rows;
  if (rows <= options.pageSize) {
    return slicesOf(coverage, [{ filters, rows }]);
  }
  const byDate = slicesOf(coverage, cutByDate(coverage, filters, rangeSizes(rows, options)));
  const byCombination = cutByCombination(coverage, filters, options);
  // One page more for each slice, because a resumed pull reads one of each a second time.
  const costOf = (slices: readonly Slice[]) => expectedPages(slices, options.pageSize) + slices.length;
  const isDearer = costOf(byCombination) > costOf(byDate) * 1.02;
  return isDearer && byDate.length > 1 ? byDate : byCombination;
}

/** Pages of a full slice, from the size of the set. */
export function fullSlicePages(coverage: readonly Coverage[], pageSize: number): number {
  const pages = summaryOf(coverage).matching_rows / pageSize;
  return Math.ceil(Math.min(LONGEST_ROWS / pageSize, Math.max(SHORTEST_PAGES, pages / fullSlices(pages))));
}

/** Target length, in pages, of the slice after `before` others. */
function targetPages(before: number, slicePages: number): number {
  return Math.min(GROWTH ** before, slicePages);
}

/** The sizes in rows of the ranges that a set of one group is cut into. */
function rangeSizes(rows: number, { pageSize, slicePages, before }: CutOptions): number[] {
  const sizes: number[] = [];
  let left = rows;
  for (;;) {
    const pages = targetPages(before + sizes.length, slicePages);
    const size = (pages - SLACK) * pageSize;
    if (pages === slicePages || left <= size) {
      const count = Math.max(1, slicePages === 1 ? Math.ceil(left / size) : Math.round(left / size));
      return [...sizes, ...new Array<number>(count).fill(left / count)];
    }
    sizes.push(size);
    left -= size;
  }
}

function cutByCombination(
  coverage: readonly Coverage[],
  { start_date, end_date }: Filters,
  options: CutOptions,
): Slice[] {
  const { pageSize, slicePages } = options;
  const dates = windowOf(start_date, end_date);
  const slices: Slice[] = [];
  let start = 0;
  while (start < coverage.length) {
    const before = options.before + slices.length;
    const target = targetPages(before, slicePages) * pageSize;
    const end = endOfGroup(coverage, start, target, pageSize);
    const members = coverage.slice(start, end);
    const rows = summaryOf(members).matching_rows;
    const named = { ...dates, rcd: members.map((entry) => entry.rcd).join(",") };
    const isLarge = members.length === 1 && rows > target * 1.5 + pageSize / 2;
    const ranges = isLarge
      ? cutByDate(members, named, rangeSizes(rows, { ...options, before }))
      : [{ filters: named, rows }];
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
  const group = { rows: summaryOf(members).matching_rows };
  const isExact = ranges.length === 1;
  return ranges.map(({ filters, rows }) => ({
    id: idOf(filters),
    filters,
    group,
    rows: isExact ? group.rows : rows,
    isExact,
  }));
}

function idOf(filters: Filters): string {
  return hash("sha256", JSON.stringify(filters)).slice(0, 16);
}

/** Expected pages. In a group that is cut by date, half of the last page of each slice is empty on average. */
export function expectedPages(slices: readonly Slice[], pageSize: number): number {
  const groups = [...groupBy(slices, ({ group }) => group)];
  return groups.reduce((sum, [{ rows }, { length }]) => sum + Math.ceil(rows / pageSize + (length - 1) / 2), 0);
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

/**
 * Replaces a slice by slices of one page, as far as combinations and days allow, from the coverage of its filters. The new
 * slices belong to its group.
 */
export function cutToPages(plan: Plan, slice: Slice, coverage: Pick<CoverageResponse, "data">, pageSize: number): Plan {
  const parts = planPull(coverage, slice.filters, pageSize, 1).slices;
  const slices = plan.slices.flatMap((other) =>
    other === slice ? parts.map((part) => ({ ...part, group: slice.group })) : [other],
  );
  return { ...plan, slices, pages: expectedPages(slices, pageSize) };
}
