import { describe, expect, test } from "vitest";
import { estimate, type RequestLimits } from "../../src/pull/estimate.ts";
import type { Plan } from "../../src/pull/plan.ts";

/** A plan of slices with so many rows each, every one a group of its own. */
function planOf(pageSize: number, ...rows: number[]): Plan {
  return {
    slices: rows.map((count) => ({ id: "", filters: {}, group: { rows: count, slices: 1 }, rows: count })),
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

describe("an estimate", () => {
  test("of an empty set is its coverage request", () => {
    expect(estimate(planOf(100), ALL, 1, UNLIMITED)).toEqual({
      rows: 0,
      slices: 0,
      requests: 1,
      windows: 1,
      seconds: 1,
    });
  });

  test("walks one slice page by page", () => {
    const expected = { rows: 250, slices: 1, requests: 4, windows: 1, seconds: 4 };
    expect(estimate(planOf(100, 250), ALL, 1, UNLIMITED)).toEqual(expected);
  });

  test("walks several slices at once after the coverage request", () => {
    const expected = { rows: 800, slices: 4, requests: 9, windows: 1, seconds: 3.75 };
    expect(estimate(planOf(100, 200, 200, 200, 200), ALL, 1, UNLIMITED)).toEqual(expected);
  });

  test("takes only the time of the requests if the window has enough requests left", () => {
    const expected = { rows: 800, slices: 1, requests: 9, windows: 1, seconds: 0 };
    expect(estimate(planOf(100, 800), ALL, 1, LIMITED)).toEqual(expected);
  });

  test("waits for the end of the current window and of each full one", () => {
    const expected = { rows: 2900, slices: 1, requests: 30, windows: 4, seconds: 150 };
    expect(estimate(planOf(100, 2900), ALL, 1, LIMITED)).toEqual(expected);
  });

  test("begins with the next window if the current one is used up", () => {
    const expected = { rows: 100, slices: 1, requests: 2, windows: 1, seconds: 30 };
    expect(estimate(planOf(100, 100), ALL, 1, { ...LIMITED, remaining: 0 })).toEqual(expected);
  });

  test("does not wait for windows that end during slow requests", () => {
    const expected = { rows: 2900, slices: 1, requests: 30, windows: 6, seconds: 300 };
    expect(estimate(planOf(100, 2900), ALL, 1, { ...LIMITED, latency: 10_000 })).toEqual(expected);
  });

  test("spaces the requests evenly at a maximal rate", () => {
    const expected = { rows: 800, slices: 1, requests: 9, windows: 1, seconds: 16 };
    expect(estimate(planOf(100, 800), ALL, 1, { ...UNLIMITED, latency: 0, maxRate: 30 })).toEqual(expected);
  });

  test("respects the windows if the maximal rate is above the limit", () => {
    const expected = { rows: 1900, slices: 1, requests: 20, windows: 3, seconds: 90 };
    const { seconds, ...others } = estimate(planOf(100, 1900), ALL, 1, { ...LIMITED, maxRate: 600 });
    expect({ ...others, seconds: Math.round(seconds) }).toEqual(expected);
  });

  test("requests only the wanted rows of a single slice", () => {
    const expected = { rows: 250, slices: 1, requests: 4, windows: 1, seconds: 4 };
    expect(estimate(planOf(100, 1000, 1000), { ...ALL, maxRows: 250 }, 1, UNLIMITED)).toEqual(expected);
  });

  test("counts the pages that are read a second time, of a service that names no version of its data", () => {
    const { version: _, ...plan } = planOf(100, 40_000, 40_000);
    const requests = (recheck?: number) => estimate(plan, { ...ALL, recheck }, 1, UNLIMITED).requests;
    expect([requests(), requests(0), requests(10), requests(100)]).toEqual([809, 801, 881, 1601]);
    expect(estimate(plan, { ...ALL, maxRows: 200 }, 1, UNLIMITED).requests).toBe(5);
  });

  test("counts each request for the coverage", () => {
    expect(estimate(planOf(100, 250), ALL, 3, UNLIMITED)).toMatchObject({ requests: 6, seconds: 6 });
  });

  test("covers the whole set if more rows are wanted than exist", () => {
    const expected = { rows: 250, slices: 1, requests: 4, windows: 1, seconds: 4 };
    expect(estimate(planOf(100, 250), { ...ALL, maxRows: 251 }, 1, UNLIMITED)).toEqual(expected);
  });
});
