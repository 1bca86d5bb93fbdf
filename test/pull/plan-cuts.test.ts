import { expect, test } from "vitest";
import type { Coverage } from "../../src/contract/coverage.ts";
import type { Filters } from "../../src/contract/filters.ts";
import { cutByDate } from "../../src/pull/date-cuts.ts";
import { cutToPages, firstSlices, type Plan, planPull, type Slice } from "../../src/pull/plan.ts";

// The order of the rows depends on the cuts: other cuts change the bytes of every export.

/** A combination whose rows are spread over the first ten days of a month. */
function combination(rcd: string, rows: number): Coverage {
  const [retailer = "", category = "", department = ""] = rcd.split(":");
  const days = { earliest_date: "2026-01-01", latest_date: "2026-01-10" };
  return { retailer, category, department, rcd, corpus_rows: rows, matching_rows: rows, ...days };
}

/** Combinations `a:c0:d`, `a:c1:d` and so on with these numbers of rows. */
function combinations(...rows: number[]): Coverage[] {
  return rows.map((count, index) => combination(`a:c${index}:d`, count));
}

/** Each slice: its combinations, days and rows. */
function cutsOf({ slices }: Plan): string[] {
  return slices.map(({ rows, filters: { rcd, retailer = "", start_date = "", end_date = "" } }) => {
    return `${rcd?.replace(/a:(\w+):d/g, "$1") ?? `all ${retailer}`} ${start_date}..${end_date} ${rows}`;
  });
}

const GROUPS = ["c0 .. 9", "c1,c2 .. 20", "c3 .. 59", "c4,c5 .. 32", "c6,c7 .. 60"];
const FULL_PAGES = ["c0 .. 9", "c1,c2,c3 .. 40", "c4,c5 .. 28", "c6 .. 50"];
const LARGER = ["c0 .. 9", "c1,c2,c3 .. 60", "c4 .. 30"];

test.each([
  ["of at most one page is one slice without triples", [4, 6], 1, ["all a .. 10"]],
  ["of more than one page has triples", [4, 7], 1, ["c0,c1 .. 11"]],
  ["leaves out combinations without rows", [4, 0, 7], 1, ["c0,c2 .. 11"]],
  ["has groups from half a slice to one and a half", [9, 19, 1, 59, 2, 30, 30, 30], 4, GROUPS],
  ["fills the last page of each group", [9, 20, 1, 19, 8, 20, 50], 4, FULL_PAGES],
  ["prefers the larger one of two groups without free space", [9, 20, 20, 20, 30], 4, LARGER],
  ["keeps a combination that is hardly larger", [9, 40, 65], 4, ["c0 .. 9", "c1 .. 40", "c2 .. 65"]],
  [
    "cuts a larger combination by days",
    [10, 40, 70],
    4,
    ["c0 .. 10", "c1 .. 40", "c2 ..2026-01-05 35", "c2 2026-01-06.. 35"],
  ],
  [
    "begins with one page, and four times as many until a slice is full",
    [200],
    8,
    ["c0 ..2026-01-01 20", "c0 2026-01-02..2026-01-03 40", "c0 2026-01-04..2026-01-07 80", "c0 2026-01-08.. 60"],
  ],
])("a set %s", (_, rows, slicePages, expected) => {
  const cuts = cutsOf(planPull({ data: combinations(...rows) }, { retailer: "a" }, 10, slicePages));
  expect(cuts.slice(0, expected.length)).toEqual(expected);
});

test("the first and the last slice of a cut have the days of the filters", () => {
  const days = { start_date: "2025-12-01", end_date: "2026-02-01" };
  expect(cutsOf(planPull({ data: combinations(66, 20) }, days, 10, 4))).toEqual([
    "c0 2025-12-01..2026-01-02 13",
    "c0 2026-01-03..2026-02-01 53",
    "c1 2025-12-01..2026-02-01 20",
  ]);
});

test("many small combinations are cut by days, because their names make short slices", () => {
  const name = (index: number) => `${"retailer-".repeat(5)}:category-${index + 1000}:department`;
  const set = (count: number) => Array.from({ length: count }, (_, index) => combination(name(index), 5));
  const days = (data: Coverage[], filters: Filters = {}) =>
    planPull({ data }, filters, 500).slices.map((slice) => slice.filters.rcd === undefined);
  expect(new Set(days(set(6000)))).toEqual(new Set([true]));
  // Not where no request can carry the filters, nor where it would take as many requests.
  expect(
    days(set(1000), {
      rcd: set(1000)
        .map((entry) => entry.rcd)
        .join(","),
    }),
  ).not.toContain(true);
  expect(days(set(20), {})).toEqual([true]);
});

test("one row dated far away does not make a range of each day before it", () => {
  const far = { ...combination("a:c:d", 7), earliest_date: "2026-01-01", latest_date: "2062-01-10" };
  expect(cutByDate([far], {}, [7])).toEqual([{ filters: {}, rows: 7 }]);
});

test("retailers with days of their own are planned one after another", () => {
  const daysByRetailer = { a: { start_date: "2026-01-01", end_date: "2026-01-05" }, b: { end_date: "2026-01-10" } };
  const filters = { rcd: "b:c:d,a:c1:d,a:c2:d", start_date: "2026-01-01", end_date: "2026-01-10", daysByRetailer };
  const set = [combination("b:c:d", 30), combination("a:c2:d", 30), combination("a:c1:d", 20)];
  const plan = planPull({ data: set }, filters, 10, 2);
  expect(cutsOf(plan)).toEqual([
    "c1 2026-01-01..2026-01-05 20",
    "c2 2026-01-01..2026-01-05 30",
    "b:c:d 2026-01-01..2026-01-10 30",
  ]);
  expect(plan).toMatchObject({ totalRows: 80, pages: 8 });
});

test("half of the last page of each slice is expected to be empty, where a group is cut by days", () => {
  const { pages, slices } = planPull({ data: combinations(100) }, {}, 10, 2);
  expect({ pages, sliceCount: slices.length }).toEqual({ pages: 13, sliceCount: 6 });
});

test("a slice that is cut to pages has more pages, in a plan that counts them", () => {
  const plan = planPull({ data: combinations(9, 50) }, {}, 10, 10);
  const [, slice] = plan.slices as [Slice, Slice];
  const cut = cutToPages(plan, slice, { data: [combination("a:c1:d", 50)] }, 10);
  const exact = (slices: readonly Slice[]) => slices.map(({ isExact }) => isExact);
  expect({ pages: plan.pages, exact: exact(plan.slices) }).toEqual({ pages: 6, exact: [true, true] });
  expect({ pages: cut.pages, exact: exact(cut.slices) }).toEqual({
    pages: 9,
    exact: [true, ...new Array(6).fill(false)],
  });
});

test.each([
  [0, 0],
  [1, 2],
  [30, 2],
  [31, 7],
  [130, 7],
  [131, 8],
  [1000, 8],
])("the first %i rows are in the first %i slices, in whole groups", (rows, count) => {
  const plan = planPull({ data: combinations(30, 100, 30) }, {}, 10, 2);
  expect(firstSlices(plan, rows)).toEqual(plan.slices.slice(0, count));
});
