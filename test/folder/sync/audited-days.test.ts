import { describe, expect, test } from "vitest";
import type { Coverage } from "../../../src/contract/coverage.ts";
import { parseRcd } from "../../../src/contract/filters.ts";
import type { DayState } from "../../../src/folder/day-state.ts";
import { edgesThatDiffer, longestUnchecked, timeOfRun } from "../../../src/folder/sync/changes.ts";

function dayOf(counts: Record<string, number>, checked?: string): DayState {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    rows,
    digest: "",
    bytes: 1,
    sha256: "",
    counts: new Map(Object.entries(counts)),
    ...(checked !== undefined && { checked }),
  };
}

function coverageOf(rcd: string, matching_rows: number, earliest_date: string, latest_date: string): Coverage {
  const { retailer, category, department } = parseRcd(rcd) ?? {};
  return { rcd, retailer, category, department, matching_rows, earliest_date, latest_date } as Coverage;
}

test("days that no run has checked come first, then those checked longest ago, every second day before its neighbours", () => {
  const [early, late] = ["2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z"];
  const days = {
    "2026-01-06": dayOf({}, late),
    "2026-01-05": dayOf({}, early),
    "2026-01-04": dayOf({}, early),
    "2026-01-03": dayOf({}, early),
    "2026-01-02": dayOf({}, early),
    "2026-01-01": dayOf({}),
  };
  const inTurn = ["2026-01-01", "2026-01-03", "2026-01-05", "2026-01-02", "2026-01-04", "2026-01-06"];
  expect(longestUnchecked(days, 6)).toEqual(inTurn);
  expect(longestUnchecked(days, 2)).toEqual(inTurn.slice(0, 2));
  expect(longestUnchecked(days, 0)).toEqual([]);
});

describe("the first and last days of a combination of the same rows", () => {
  const days = {
    "2026-01-03": dayOf({ "a:b:c": 2, "d:e:f": 1 }),
    "2026-01-02": dayOf({ "a:b:c": 1 }),
    "2026-01-05": dayOf({ "a:b:c": 1 }),
  };

  test.each<[string, [first: string, last: string], string[]]>([
    ["are as in the copy", ["2026-01-02", "2026-01-05"], []],
    ["are earlier", ["2026-01-01", "2026-01-05"], ["2026-01-01"]],
    ["are later", ["2026-01-03", "2026-01-05"], ["2026-01-02"]],
    ["end later", ["2026-01-02", "2026-01-06"], ["2026-01-06"]],
    ["end earlier", ["2026-01-02", "2026-01-04"], ["2026-01-05"]],
    ["are both others", ["2026-01-01", "2026-01-06"], ["2026-01-01", "2026-01-06"]],
  ])("%s", (_, [first, last], differing) => {
    expect(edgesThatDiffer(days, [coverageOf("a:b:c", 4, first, last)])).toEqual(differing);
  });

  test("are not looked at where the number of rows differs, and each day is named once", () => {
    expect(edgesThatDiffer(days, [coverageOf("a:b:c", 5, "2026-01-01", "2026-01-06")])).toEqual([]);
    expect(edgesThatDiffer(days, [coverageOf("x:y:z", 1, "2026-01-01", "2026-01-06")])).toEqual([]);
    expect(
      edgesThatDiffer(days, [
        coverageOf("a:b:c", 4, "2026-01-01", "2026-01-05"),
        coverageOf("d:e:f", 1, "2026-01-01", "2026-01-03"),
      ]),
    ).toEqual(["2026-01-01"]);
  });
});

test("the time of a run is the clock's, or behind that of each earlier run", () => {
  const now = Date.parse("2026-05-02T00:00:00.000Z");
  const at = (...checked: (string | undefined)[]) =>
    timeOfRun(Object.fromEntries(checked.map((time, day) => [`2026-01-0${day + 1}`, dayOf({}, time)])), now);
  expect(at()).toBe("2026-05-02T00:00:00.000Z");
  expect(at(undefined)).toBe("2026-05-02T00:00:00.000Z");
  expect(at("2026-05-01T00:00:00.000Z")).toBe("2026-05-02T00:00:00.000Z");
  expect(at("2026-05-02T00:00:00.000Z")).toBe("2026-05-02T00:00:00.001Z");
  expect(at("2026-05-02T00:00:00.000Z", "2026-05-03T00:00:00.000Z", undefined)).toBe("2026-05-03T00:00:00.001Z");
});
