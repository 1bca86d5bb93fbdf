import { expect, test } from "vitest";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { compareRange, sumOfCounts } from "../../../src/folder/sync/changes.ts";
import { type DayRange, isInRange } from "../../../src/folder/sync/day-ranges.ts";

type Days = Record<string, Record<string, number>>;

const YEAR = { first: "2026-01-01", last: "2026-12-31" };

test("without changes there is only one request", async () => {
  const days = yearOf({ a: 3 });
  expect(await compare(days, days)).toEqual({ changed: [], equal: [], requests: 0 });
});

test("one changed day of a year is found with nine requests", async () => {
  const remote = { ...yearOf({ a: 3, b: 1 }), "2026-03-03": { a: 3, b: 2 } };
  expect(await compare(yearOf({ a: 3, b: 1 }), remote)).toEqual({
    changed: [{ first: "2026-03-03", last: "2026-03-03" }],
    equal: ["2026-03-04", "2026-03-05"],
    requests: 9,
  });
});

test("a smaller day and a larger day are both found, although the sum of all rows is the same", async () => {
  const local = yearOf({ a: 3, b: 3 });
  const remote = { ...local, "2026-02-01": { a: 2, b: 3 }, "2026-08-01": { a: 3, b: 4 } };
  expect((await compare(local, remote)).changed).toEqual([
    { first: "2026-02-01", last: "2026-02-01" },
    { first: "2026-08-01", last: "2026-08-01" },
  ]);
});

test("days that are empty on one side are one range and are not divided", async () => {
  const remote = yearOf({ a: 3 });
  expect(await compare({}, remote)).toEqual({ changed: [YEAR], equal: [], requests: 0 });
  expect(await compare(remote, {})).toEqual({ changed: [YEAR], equal: [], requests: 0 });
});

test("rows that moved to another day are found only when one of the two days is audited", async () => {
  const local = yearOf({ a: 3 });
  const remote = { ...local, "2026-05-05": { a: 2 }, "2026-05-09": { a: 4 } };
  expect((await compare(local, remote)).changed).toEqual([]);
  const found = [
    { first: "2026-05-05", last: "2026-05-05" },
    { first: "2026-05-09", last: "2026-05-09" },
  ];
  for (const { first } of found) {
    const { changed, requests } = await compare(local, remote, [first, "2026-11-11"]);
    expect(inOrder(changed)).toEqual(found);
    expect(requests).toBeLessThan(20);
  }
  const all = await compare(local, remote, Object.keys(local));
  expect({ inOrder: inOrder(all.changed), equalCount: all.equal.length }).toEqual({ inOrder: found, equalCount: 363 });
});

test("rows that moved from the last day that there is are found by auditing the other day", async () => {
  const range = { first: "9999-01-01", last: "9999-12-31" };
  const local = daysOf(range.first, 365, { a: 3 });
  const remote = { ...local, "9999-12-30": { a: 4 }, "9999-12-31": { a: 2 } };
  const { changed } = await compare(local, remote, ["9999-12-30"], remote, range);
  expect(inOrder(changed).map(({ first }) => first)).toEqual(["9999-12-30", "9999-12-31"]);
});

test("an equal audited day is reported, and also a day whose counts were calculated", async () => {
  const local = yearOf({ a: 3 });
  expect(await compare(local, local, ["2026-03-03"])).toEqual({ changed: [], equal: ["2026-03-03"], requests: 1 });
  const { equal } = await compare(local, { ...local, "2026-03-03": { a: 4 } });
  expect(equal).toEqual(["2026-03-04", "2026-03-05"]);
});

test("if rows are added between two requests, the second half is requested instead of calculated", async () => {
  const local = yearOf({ a: 3 });
  const before = { ...local, "2026-09-09": { a: 1 } };
  const after = { ...before, ...daysOf("2026-01-01", 181, { a: 9 }), "2026-12-01": { a: 8 } };
  const { changed } = await compare(local, after, [], before);
  expect(changed.filter(({ first }) => first > "2026-07-02").map(({ first }) => first)).toEqual([
    "2026-09-09",
    "2026-12-01",
  ]);
});

/** Compares two years by coverage requests; the first one was answered from `counted`. */
async function compare(local: Days, remote: Days, audited: readonly string[] = [], counted = remote, year = YEAR) {
  let requests = 0;
  const findings = await compareRange(year, within(counted, year), {
    local: (range) => within(local, range),
    remote: async (range) => {
      requests += 1;
      return within(remote, range);
    },
    audited,
    concurrency: 4,
  });
  return { ...findings, requests };
}

function inOrder(ranges: readonly DayRange[]): DayRange[] {
  return [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1));
}

function within(days: Days, range: DayRange) {
  return sumOfCounts(
    Object.entries(days)
      .filter(([day]) => isInRange(day, range))
      .map(([, counts]) => ({ counts: new Map(Object.entries(counts)) })),
  );
}

function yearOf(counts: Record<string, number>): Days {
  return daysOf(YEAR.first, 365, counts);
}

function daysOf(first: string, days: number, counts: Record<string, number>): Days {
  return Object.fromEntries(Array.from({ length: days }, (_, day) => [addDays(first, day), counts]));
}
