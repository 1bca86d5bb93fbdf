import { expect, test } from "vitest";
import { visible } from "../../../src/contract/values/visible.ts";

test.each([
  ["line\nbreak\r\ttab", "line\\nbreak\\r\\ttab"],
  ["\x1b[31mred\x07", "\\x1b[31mred\\x07"],
  ["\x9b2J\x7f\x00", "\\x9b2J\\x7f\\x00"],
  ["a\u202eb\u2066c", "a\\u202eb\\u2066c"],
  ["zero\u200bwidth\ufeff\u00ad", "zero\\u200bwidth\\ufeff\\xad"],
  ["\u2028\u2029", "\\u2028\\u2029"],
  ["tag\u{e0041}", "tag\\u{e0041}"],
  ["half \ud83d", "half \\ud83d"],
  ["Café 寿司 عربى 😀 e\u0301", "Café 寿司 عربى 😀 e\u0301"],
])("%j is shown as %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});
