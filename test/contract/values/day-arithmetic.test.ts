import { expect, test } from "vitest";
import { addDays, dayNumber, dayOf } from "../../../src/contract/values/day-arithmetic.ts";

test("a day begins and ends at midnight in UTC", () => {
  expect(process.env.TZ, "the tests run in a zone that is not UTC").toMatch(/^Etc.GMT.12$|^Pacific.Kiritimati$/);
  const moments = ["2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z", "2026-03-29T23:59:59.999Z"];
  expect(moments.map((moment) => dayOf(Date.parse(moment)))).toEqual(Array(3).fill("2026-03-29"));
  expect([dayNumber("1970-01-02"), addDays("2026-02-28", 1), addDays("2026-03-29", -29)]).toEqual([
    1,
    "2026-03-01",
    "2026-02-28",
  ]);
});
