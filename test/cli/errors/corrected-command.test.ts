import { describe, expect, test } from "vitest";
import { correct } from "../../../src/cli/errors/corrected-command.ts";
import { UsageError } from "../../../src/contract/errors.ts";

const KEY = "k3y_".repeat(11).slice(0, 43);
const misspelt = new UsageError("unknown command 'exprot'", { value: "exprot", suggestions: ["export"] });

describe("a corrected command line", () => {
  test.each([
    ["a key", ["-k", KEY], ["-k", "…"]],
    ["a key behind its flag", [`--kee=${KEY}`], ["--kee=…"]],
    ["a password", ["--base-url", "https://me:secret@api.example.com"], ["--base-url", "https://me:…@api.example.com"]],
    ["a password without a scheme", ["--base-url=me:secret@host"], ["--base-url=me:…@host"]],
  ])("does not repeat %s", (_, typed, shown) => {
    expect(correct(["exprot", ...typed], misspelt)?.command).toEqual(["catalog", "export", ...shown]);
  });

  test("repeats everything else as typed", () => {
    const others = ["--rcd", "acme:lamps:home,bolt:chairs:home", "--base-url", "http://[::1]:8787/a@b", "-o", "a=b c"];
    expect(correct(["exprot", ...others], misspelt)?.command).toEqual(["catalog", "export", ...others]);
  });
});
