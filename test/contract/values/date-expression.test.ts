import { expect, test } from "vitest";
import { resolveDay } from "../../../src/contract/values/date-expression.ts";

test.each([
  ["2026-02-28", "2026-02-28"],
  ["yesterday", "2026-03-09"],
  ["10d", "2026-02-28"],
  ["latest", "2026-03-08"],
  ["latest-8d", "2026-02-28"],
  ["999999d", "0001-01-01"],
  ["latest-999999d", "0001-01-01"],
])("%s is the day %s", (text, day) => {
  expect(resolveDay(text, { today: "2026-03-10", latest: "2026-03-08" })).toBe(day);
});
