import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteCommand } from "../../../src/contract/values/quote-command.ts";

test.each([
  [["catalog", "coverage", "--retailer", "amazon-in"], "catalog coverage --retailer amazon-in"],
  [["--rcd=shop:games:toys", "-o", "/tmp/rows.csv"], "--rcd=shop:games:toys -o /tmp/rows.csv"],
  [["two words", ""], "'two words' ''"],
  [["it's", "$(id)", "~", "=ls"], "'it'\\''s' '$(id)' '~' '=ls'"],
  [["a\x1b[31m\nb'\\"], "$'a\\033[31m\\012b\\'\\\\'"],
  [["a=b", "=b", "w@%+=:,./-", "é"], "a=b '=b' w@%+=:,./- 'é'"],
  [["a\u2028", "\u2029", "a'\tb"], "$'a\\342\\200\\250' $'\\342\\200\\251' $'a\\'\\011b'"],
  [["\u202e1"], "$'\\342\\200\\2561'"],
])("%j is written as %s", (words, line) => {
  expect(quoteCommand(words)).toBe(line);
});

test("a shell splits the line into the same words", () => {
  const printable = fc.string({ unit: "grapheme" }).filter((word) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word));
  const shellish = fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "!", "*", "~", "#", ";", "&", " ", "="),
  });
  const words = fc.sample(fc.oneof(printable, shellish), 300);
  const read = execFileSync("sh", ["-c", `printf '%s\\0' ${quoteCommand(words)}`], { encoding: "utf8" });
  expect(read.split("\0").slice(0, -1)).toEqual(words);
});
