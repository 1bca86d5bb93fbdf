import { expect, test } from "vitest";
import { addDays, type DayRange, isWithin } from "../../src/mirror/calendar.ts";
import { changedRanges, sumOfCounts } from "../../src/mirror/changes.ts";

type Days = Record<string, Record<string, number>>;

const YEAR = { first: "2026-01-01", last: "2026-12-31" };

test("nothing changed takes no request beyond the first", async () => {
  const days = yearOf({ a: 3 });
  expect(await compare(days, days)).toEqual({ changed: [], requests: 0 });
});

test("one changed day of a year is found with nine requests", async () => {
  const remote = { ...yearOf({ a: 3, b: 1 }), "2026-03-03": { a: 3, b: 2 } };
  expect(await compare(yearOf({ a: 3, b: 1 }), remote)).toEqual({
    changed: [{ first: "2026-03-03", last: "2026-03-03" }],
    requests: 9,
  });
});

test("a shrunk day and a grown day are both found, although the sum of all rows is as before", async () => {
  const local = yearOf({ a: 3, b: 3 });
  const remote = { ...local, "2026-02-01": { a: 2, b: 3 }, "2026-08-01": { a: 3, b: 4 } };
  expect((await compare(local, remote)).changed).toEqual([
    { first: "2026-02-01", last: "2026-02-01" },
    { first: "2026-08-01", last: "2026-08-01" },
  ]);
});

test("days that one side holds nothing of are one range and are not cut", async () => {
  const remote = yearOf({ a: 3 });
  expect(await compare({}, remote)).toEqual({ changed: [YEAR], requests: 0 });
  expect(await compare(remote, {})).toEqual({ changed: [YEAR], requests: 0 });
});

test("rows that moved from day to day are found when every day is compared, and not before", async () => {
  const local = yearOf({ a: 3 });
  const remote = { ...local, "2026-05-05": { a: 2 }, "2026-05-09": { a: 4 } };
  expect((await compare(local, remote)).changed).toEqual([]);
  expect(await compare(local, remote, true)).toEqual({
    changed: [
      { first: "2026-05-05", last: "2026-05-05" },
      { first: "2026-05-09", last: "2026-05-09" },
    ],
    requests: 364,
  });
});

test("where rows come between two requests, the second half is asked for instead of being reckoned", async () => {
  const local = yearOf({ a: 3 });
  const before = { ...local, "2026-09-09": { a: 1 } };
  const after = { ...before, ...daysOf("2026-01-01", 181, { a: 9 }), "2026-12-01": { a: 8 } };
  const { changed } = await compare(local, after, false, before);
  expect(changed.filter(({ first }) => first > "2026-07-02").map(({ first }) => first)).toEqual([
    "2026-09-09",
    "2026-12-01",
  ]);
});

/** Compares two years by coverage requests; the first one was answered from `counted`. */
async function compare(local: Days, remote: Days, everyDay = false, counted = remote) {
  let requests = 0;
  const changed = await changedRanges(YEAR, within(counted, YEAR), {
    local: (range) => within(local, range),
    remote: async (range) => {
      requests += 1;
      return within(remote, range);
    },
    everyDay,
  });
  return { changed, requests };
}

function within(days: Days, range: DayRange) {
  return sumOfCounts(
    Object.entries(days)
      .filter(([day]) => isWithin(day, range))
      .map(([, counts]) => Object.entries(counts)),
  );
}

function yearOf(counts: Record<string, number>): Days {
  return daysOf(YEAR.first, 365, counts);
}

function daysOf(first: string, days: number, counts: Record<string, number>): Days {
  return Object.fromEntries(Array.from({ length: days }, (_, day) => [addDays(first, day), counts]));
}
