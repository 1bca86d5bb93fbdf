import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { screenOf } from "../../../src/cli/terminal/screen.ts";

const linksOn = (stdout: PassThrough, env: Record<string, string>) =>
  screenOf({ stdout, env }, { globals: { color: true } }).links;
const terminal = () => Object.assign(new PassThrough(), { isTTY: true });

test.each([
  [{}, false],
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-kitty" }, true],
  [{ TERM_PROGRAM: "WezTerm" }, true],
  [{ TERM_PROGRAM: "Apple_Terminal" }, false],
  [{ VTE_VERSION: "4800" }, false],
  [{ VTE_VERSION: "7600" }, true],
  [{ WT_SESSION: "c0ffee" }, true],
  [{ FORCE_HYPERLINK: "1" }, true],
  [{ TERM: "xterm-kitty", FORCE_HYPERLINK: "0" }, false],
  [{ FORCE_HYPERLINK: "" }, false],
  [{ TERM: "xterm-kitty", NO_COLOR: "1" }, false],
  [{ TERM: "dumb", TERM_PROGRAM: "vscode" }, false],
])("whether a terminal with %j has links: %s", (env, expected) => {
  expect(linksOn(terminal(), env)).toBe(expected);
});

test("a pipe has no links, whatever the terminal", () => {
  expect(linksOn(new PassThrough(), { TERM: "xterm-kitty" })).toBe(false);
});
