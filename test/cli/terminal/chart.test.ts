import { expect, test } from "vitest";
import { countBar, heatLine, rangeBar, sparkline } from "../../../src/cli/terminal/chart.ts";

test.each([
  ["2026-01-01", "2026-01-10", "2026-01-01", "2026-01-10", "█████"],
  ["2026-01-01", "2026-01-10", "2026-01-01", "2026-01-03", "█▌   "],
  ["2026-01-01", "2026-01-10", "2026-01-02", "2026-01-05", "▐█▌  "],
  ["2026-01-01", "2026-01-10", "2026-01-02", "2026-01-03", "▐▌   "],
  ["2026-01-01", "2026-01-07", "2026-01-02", "2026-01-04", "▐██  "],
  ["2026-01-01", "2026-01-10", "2026-01-10", "2026-01-10", "    █"],
  ["2026-01-01", "2026-01-10", "2026-01-01", "2026-01-01", "█    "],
  ["2026-01-01", "2026-12-31", "2026-07-01", "2026-07-01", "  █  "],
  ["2026-01-01", "2026-01-01", "2026-01-01", "2026-01-01", "█████"],
])("on %s to %s the days %s to %s are drawn as '%s'", (earliest, latest, first, last, bar) => {
  expect(rangeBar(earliest, latest, first, last, 5)).toBe(bar);
});

test.each([
  [0, 100, ""],
  [1, 100_000, "▏"],
  [50, 100, "██▌"],
  [97, 100, "████▉"],
  [100, 100, "█████"],
  [0, 0, ""],
])("%i of %i is drawn as '%s'", (count, most, bar) => {
  expect(countBar(count, most, 5)).toBe(bar);
});

test("a heat line draws darker shades for larger shares of the largest value, and dots only for 0", () => {
  expect(heatLine([0, 0.001, 25, 26, 50, 51, 75, 76, 100], 1)).toBe("·░░▒▒▓▓██");
});

test.each([
  [[], 3, ""],
  [[5], 3, "███"],
  [[-1, 4, 1, 2, 3], 1, "·█░▒▓"],
])("a heat line draws %j, %i cells each, as '%s'", (values, cells, line) => {
  expect(heatLine(values, cells)).toBe(line);
});

test("a heat line of zeros is dots", () => {
  expect(heatLine([0, 0], 2)).toBe("····");
});

test.each([
  [[1, 2, 3, 8], "▁▂▃█"],
  [[5, 5], "▄▄"],
  [[0, 9, 9, 9, 9, 9, 9, 9, 9, 0], "▁████▁"],
  [[], ""],
  [[0, 1, 2, 3, 4, 5, 6], "▁▂▃▆▇█"],
  [[3, 1, 2, 4, 5, 6], "▄▁▂▅▇█"],
])("a sparkline draws %j as '%s'", (values, line) => {
  expect(sparkline(values, 6)).toBe(line);
});
