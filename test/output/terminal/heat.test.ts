import { expect, test } from "vitest";
import { heatLine } from "../../../src/output/terminal/heat.ts";

test("shades grow with the share of the largest, and only nothing is a dot", () => {
  expect(heatLine([0, 0.001, 25, 26, 50, 51, 75, 76, 100])).toBe("·░░▒▒▓▓██");
});

test("a line of nothing is dots", () => {
  expect(heatLine([0, 0], 2)).toBe("····");
});
