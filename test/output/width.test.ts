import { expect, test } from "vitest";
import { pad, truncate, widthOf, wrap } from "../../src/output/width.ts";

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
  expect([pad("寿司", 6, "left"), pad("e\u0301", 3, "right")]).toEqual(["寿司  ", "  e\u0301"]);
});

test.each([
  ["one two three", 8, 0, "one two\nthree"],
  ["one two three", 7, 0, "one two\nthree"],
  ["one two three", 8, 2, "one two\n  three"],
  ["a_word_beyond_the_width b", 8, 0, "a_word_beyond_the_width\nb"],
  ["\u001b[1merror:\u001b[0m 寿司", 11, 0, "\u001b[1merror:\u001b[0m 寿司"],
  ["see `one two` now", 8, 0, "see\n`one two`\nnow"],
  ["  set off", 5, 2, "  set\n  off"],
  ["one two three", undefined, 0, "one two three"],
])("%j is broken at %s cells, set off by %i, as %j", (text, width, indent, broken) => {
  expect(wrap(text, width, indent)).toBe(broken);
});
