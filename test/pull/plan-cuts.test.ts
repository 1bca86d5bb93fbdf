import { expect, test } from "vitest";
import type { Coverage } from "../../src/contract/coverage.ts";
import type { Filters } from "../../src/contract/filters.ts";
import { firstSlices, type Plan, planPull } from "../../src/pull/plan.ts";

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

test.each([
  ["of at most one page is one slice without triples", [4, 6], 1, ["all a .. 10"]],
  ["of more than one page has triples", [4, 7], 1, ["c0,c1 .. 11"]],
  ["of one page has triples, if an earlier plan had longer slices", [4], 2, ["c0 .. 4"]],
  ["leaves out combinations without rows", [4, 0, 7], 1, ["c0,c2 .. 11"]],
  ["has groups from half a slice to one and a half", [19, 1, 59, 2, 30, 30, 30], 4, ["c0,c1 .. 20", "c2 .. 59"]],
  ["fills the last page of each group", [20, 1, 19, 8, 20, 50], 4, ["c0,c1,c2 .. 40", "c3,c4 .. 28", "c5 .. 50"]],
  ["prefers the larger one of two groups without free space", [20, 20, 30], 4, ["c0,c1 .. 40", "c2 .. 30"]],
  ["keeps a combination that is hardly larger", [5, 65], 4, ["c0 .. 5", "c1 .. 65"]],
  ["cuts a larger combination by days", [66], 4, ["c0 ..2026-01-05 33", "c0 2026-01-06.. 33"]],
  [
    "leaves some of the last page of a cut by days free",
    [100],
    2,
    ["01..02", "03..04", "05..06", "07..08", "09..10"].map((days) => {
      const [from, to] = days.split("..");
      return `c0 ${from === "01" ? "" : `2026-01-${from}`}..${to === "10" ? "" : `2026-01-${to}`} 20`;
    }),
  ],
])("a set %s", (_, rows, slicePages, expected) => {
  const cuts = cutsOf(planPull({ data: combinations(...rows) }, { retailer: "a" }, 10, slicePages));
  expect(cuts.slice(0, expected.length)).toEqual(expected);
});

test("the first and the last slice of a cut have the days of the filters", () => {
  const days = { start_date: "2025-12-01", end_date: "2026-02-01" };
  expect(cutsOf(planPull({ data: combinations(66, 20) }, days, 10, 4))).toEqual([
    "c0 2025-12-01..2026-01-05 33",
    "c0 2026-01-06..2026-02-01 33",
    "c1 2025-12-01..2026-02-01 20",
  ]);
});

test("a set is cut by days where that is asked for, if one request can carry its filters", () => {
  const set = combinations(30, 30, 30, 30);
  const byDays = ["2026-01-04 48", "2026-01-07 36", " 36"];
  expect(cutsOf(planPull({ data: set }, { retailer: "a" }, 10, 4, true)).map((cut) => cut.split("..")[1])).toEqual(
    byDays,
  );
  const rcd = combinations(...Array(1000).fill(1)).map((entry) => entry.rcd);
  expect(cutsOf(planPull({ data: set }, { rcd: rcd.join(",") }, 10, 4, true))).toEqual(["c0,c1 .. 60", "c2,c3 .. 60"]);
});

test("many small combinations are cut by days, because their names make short slices", () => {
  const name = (index: number) => `${"retailer-".repeat(5)}:category-${index + 1000}:department`;
  const set = (count: number) => Array.from({ length: count }, (_, index) => combination(name(index), 5));
  const thirds = ["..2026-01-04 2000", "2026-01-05..2026-01-07 1500", "2026-01-08.. 1500"];
  expect(cutsOf(planPull({ data: set(1000) }, {}, 500, 4))).toEqual(thirds.map((cut) => `all  ${cut}`));
  const countOf = (data: Coverage[], filters: Filters, slicePages: number) =>
    planPull({ data }, filters, 500, slicePages).slices.length;
  // Not where it would take as many requests, nor into one slice, nor where no request can carry the filters.
  expect(countOf(set(1000), {}, 2)).toBe(12);
  expect(countOf(set(160), {}, 4)).toBe(2);
  const rcd = set(1000).map((entry) => entry.rcd);
  expect(countOf(set(1000), { rcd: rcd.join(",") }, 4)).toBe(12);
});

test("retailers with days of their own are planned one after another", () => {
  const own_days = { a: { start_date: "2026-01-01", end_date: "2026-01-05" }, b: { end_date: "2026-01-10" } };
  const filters = { rcd: "b:c:d,a:c1:d,a:c2:d", start_date: "2026-01-01", end_date: "2026-01-10", own_days };
  const set = [combination("b:c:d", 30), combination("a:c2:d", 30), combination("a:c1:d", 20)];
  const plan = planPull({ data: set }, filters, 10, 2);
  expect(cutsOf(plan)).toEqual([
    "c1 2026-01-01..2026-01-05 20",
    "c2 2026-01-01..2026-01-05 30",
    "b:c:d 2026-01-01..2026-01-10 30",
  ]);
  const { requests: pages } = planPull({ data: set, version: "7" }, filters, 10, 2);
  expect([plan.totalRows, pages, plan.requests]).toEqual([80, 8, 11]);
});

test("half of the last page of each slice is expected to be empty, where a group is cut by days", () => {
  const { requests } = planPull({ data: combinations(100) }, {}, 10, 2);
  const { requests: pages } = planPull({ data: combinations(100), version: "7" }, {}, 10, 2);
  expect([pages, requests]).toEqual([12, 17]);
});

test.each([
  [0, 0],
  [1, 1],
  [30, 1],
  [31, 6],
  [130, 6],
  [131, 7],
  [1000, 7],
])("the first %i rows are in the first %i slices, in whole groups", (rows, count) => {
  const plan = planPull({ data: combinations(30, 100, 30) }, {}, 10, 2);
  expect(firstSlices(plan, rows)).toEqual(plan.slices.slice(0, count));
});
