import { expect, test } from "vitest";
import { wrap } from "../../../src/cli/terminal/wrap.ts";

test.each([
  ["one two three", 8, 0, "one two\nthree"],
  ["one two three", 7, 0, "one two\nthree"],
  ["one two three", 8, 2, "one two\n  three"],
  ["a_word_beyond_the_width b", 8, 0, "a_word_beyond_the_width\nb"],
  ["error: 寿司", 11, 0, "error: 寿司"],
  ["error: 寿司", 10, 0, "error:\n寿司"],
  ["see `one two` now", 8, 0, "see\n`one two`\nnow"],
  ["  set off", 5, 2, "  set\n  off"],
  ["`one two` three `four five`", 9, 0, "`one two`\nthree\n`four five`"],
  ["⺀ ab", 4, 0, "⺀\nab"],
  ["⺀ ab", 5, 0, "⺀ ab"],
  ["⹿ ab", 4, 0, "⹿ ab"],
  ["", 5, 2, ""],
  ["one two", 3, undefined, "one\ntwo"],
  ["one two three", undefined, 0, "one two three"],
])("%j wraps at %s cells with indent %i to %j", (text, width, indent, broken) => {
  expect(wrap(text, width, indent)).toBe(broken);
});
