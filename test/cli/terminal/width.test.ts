import { expect, test } from "vitest";
import { padEnd, truncate, widthOf } from "../../../src/cli/terminal/width.ts";

test.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["寿司寿司", 5, "寿司…"],
  ["寿司寿司", 6, "寿司…"],
  ["ae\u0301e\u0301e\u0301", 3, "ae\u0301…"],
  ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"],
  ["ab", 1, "…"],
])("%j takes at most %i cells as %j", (text, width, cut) => {
  expect(truncate(text, width)).toBe(cut);
  expect(widthOf(cut)).toBeLessThanOrEqual(width);
});

test("text is padded by the cells it takes, not by its characters", () => {
  expect([padEnd("寿司", 6), padEnd("e\u0301", 3)]).toEqual(["寿司  ", "e\u0301  "]);
});
