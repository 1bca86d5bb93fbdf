import { expect, test } from "vitest";
import { formatDuration } from "../../../src/cli/terminal/duration.ts";

test.each([
  [-5, "0 s"],
  [0, "0 s"],
  [1, "1 s"],
  [59_001, "1 min"],
  [200_000, "3 min 20 s"],
  [7_200_000, "2 h"],
  [7_505_000, "2 h 5 min"],
  [86_399_000, "23 h 59 min"],
  [86_400_000, "1 d"],
  [3_601_000, "1 h"],
  [3_600_000, "1 h"],
  [3_599_000, "59 min 59 s"],
  [60_000, "1 min"],
  [90_000_000, "1 d 1 h"],
])("%i ms are written as %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
