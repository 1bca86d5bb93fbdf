import { expect, test } from "vitest";
import { daysInRange, halvesOf, isInRange, mergeRanges } from "../../../src/folder/sync/day-ranges.ts";

test("a range counts its first and its last day", () => {
  expect(daysInRange({ first: "2026-02-27", last: "2026-02-27" })).toBe(1);
  expect(daysInRange({ first: "2026-02-27", last: "2026-03-02" })).toBe(4);
});

test("of an odd number of days, the first half has the day in the middle", () => {
  expect(halvesOf({ first: "2026-02-27", last: "2026-02-28" })).toEqual([
    { first: "2026-02-27", last: "2026-02-27" },
    { first: "2026-02-28", last: "2026-02-28" },
  ]);
  expect(halvesOf({ first: "2026-02-26", last: "2026-03-02" })).toEqual([
    { first: "2026-02-26", last: "2026-02-28" },
    { first: "2026-03-01", last: "2026-03-02" },
  ]);
});

test("a range has its first and its last day, and none beside them", () => {
  const range = { first: "2026-01-02", last: "2026-01-04" };
  const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"];
  expect(days.filter((day) => isInRange(day, range))).toEqual(days.slice(1, 4));
});

test("ranges in any order are sorted, and those that overlap, touch or are within one are joined", () => {
  const ranges = [
    { first: "2026-03-10", last: "2026-03-12" },
    { first: "2026-01-05", last: "2026-01-09" },
    { first: "2026-01-06", last: "2026-01-07" },
    { first: "2026-02-01", last: "2026-02-03" },
    { first: "2026-01-10", last: "2026-01-10" },
    { first: "2026-02-03", last: "2026-02-05" },
    { first: "2026-03-08", last: "2026-03-08" },
  ];
  const before = structuredClone(ranges);
  expect(mergeRanges(ranges)).toEqual([
    { first: "2026-01-05", last: "2026-01-10" },
    { first: "2026-02-01", last: "2026-02-05" },
    { first: "2026-03-08", last: "2026-03-08" },
    { first: "2026-03-10", last: "2026-03-12" },
  ]);
  // What is given stays as it is.
  expect(ranges).toEqual(before);
  expect(mergeRanges([])).toEqual([]);
});

test("the last day that there is can end a range", () => {
  const lastDay = { first: "9999-12-31", last: "9999-12-31" };
  expect(mergeRanges([lastDay, { first: "9999-12-01", last: "9999-12-30" }, lastDay])).toEqual([
    { first: "9999-12-01", last: "9999-12-31" },
  ]);
});
