import { expect, test } from "vitest";
import { estimate, type RequestLimits } from "../../src/pull/estimate.ts";
import type { Plan } from "../../src/pull/plan.ts";

/** A plan of slices with so many rows each, every one a group of its own. */
function planOf(pageSize: number, ...rows: number[]): Plan {
  return {
    slices: rows.map((count) => ({ id: "", filters: {}, group: { rows: count }, rows: count, isExact: true })),
    totalRows: rows.reduce((sum, count) => sum + count, 0),
    pages: rows.reduce((sum, count) => sum + Math.ceil(count / pageSize), 0),
    version: "7",
  };
}

const ALL = { pageSize: 100, maxRows: undefined, recheck: undefined };

const UNLIMITED: RequestLimits = {
  limit: undefined,
  windowSeconds: 60,
  remaining: undefined,
  resetSeconds: 60,
  maxRate: undefined,
  latency: 1000,
  concurrency: 4,
};

const LIMITED: RequestLimits = { ...UNLIMITED, limit: 10, remaining: 9, resetSeconds: 30, latency: 0 };

const SLOW = { ...LIMITED, latency: 10_000 };
const SPACED = { ...UNLIMITED, latency: 0, maxRate: 30 };

test.each<[string, Plan, number | undefined, RequestLimits, object]>([
  ["of an empty set is its coverage request", planOf(100), undefined, UNLIMITED, [0, 0, 1, 1, 1]],
  ["walks one slice page by page", planOf(100, 250), undefined, UNLIMITED, [250, 1, 4, 1, 4]],
  ["walks several slices at once", planOf(100, 200, 200, 200, 200), undefined, UNLIMITED, [800, 4, 9, 1, 3.75]],
  [
    "takes only the time of the requests in a window with enough left",
    planOf(100, 800),
    undefined,
    LIMITED,
    [800, 1, 9, 1, 0],
  ],
  ["waits for the end of each full window", planOf(100, 2900), undefined, LIMITED, [2900, 1, 30, 4, 150]],
  [
    "begins with the next window if this one is used up",
    planOf(100, 100),
    undefined,
    { ...LIMITED, remaining: 0 },
    [100, 1, 2, 1, 30],
  ],
  [
    "does not wait for windows that end during slow requests",
    planOf(100, 2900),
    undefined,
    SLOW,
    [2900, 1, 30, 6, 300],
  ],
  ["spaces the requests evenly at a maximal rate", planOf(100, 800), undefined, SPACED, [800, 1, 9, 1, 16]],
  [
    "respects the windows below a maximal rate",
    planOf(100, 1900),
    undefined,
    { ...LIMITED, maxRate: 600 },
    [1900, 1, 20, 3, 90],
  ],
  ["requests only the wanted rows of a slice", planOf(100, 1000, 1000), 250, UNLIMITED, [250, 1, 4, 1, 4]],
  ["covers the whole set if more rows are wanted than exist", planOf(100, 250), 251, UNLIMITED, [250, 1, 4, 1, 4]],
])("an estimate %s", (_, plan, maxRows, limits, expected) => {
  const { rows, slices, requests, windows, seconds } = estimate(plan, { ...ALL, maxRows }, 1, limits);
  expect([rows, slices, requests, windows, Number(seconds.toFixed(6))]).toEqual(expected);
});

test("each request for the coverage is counted", () => {
  expect(estimate(planOf(100, 250), ALL, 3, UNLIMITED)).toMatchObject({ requests: 6, seconds: 6 });
});

test("the pages that are read a second time are counted, of a service that names no version of its data", () => {
  const { version: _, ...plan } = planOf(100, 40_000, 40_000);
  const requests = (recheck?: number) => estimate(plan, { ...ALL, recheck }, 1, UNLIMITED).requests;
  expect([requests(), requests(0), requests(10), requests(100)]).toEqual([809, 801, 881, 1601]);
  expect(estimate(plan, { ...ALL, maxRows: 200 }, 1, UNLIMITED).requests).toBe(5);
});
