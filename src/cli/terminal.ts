import { fstatSync } from "node:fs";
import type { Context, Output } from "../context.ts";

/** Whether to colour what goes to `stream`: `--no-color`, then NO_COLOR and FORCE_COLOR, then the terminal itself. */
export function isColoured(stream: Output, color: boolean, env: Context["env"]): boolean {
  if (!color || env.NO_COLOR) {
    return false;
  }
  if (env.FORCE_COLOR !== undefined) {
    return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  }
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** The width that a table may take: the terminal's, unbounded where there is none. */
export function widthOf(stream: Output): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}

/** Whether somebody reads `stream` while it is written: a person at a terminal, or a program at the end of a pipe. */
export function isReadElsewhere(stream: Output): boolean {
  if (stream.isTTY || stream.fd === undefined) {
    return stream.isTTY === true;
  }
  const status = fstatSync(stream.fd);
  return status.isFIFO() || status.isSocket();
}

/** Terminals known to make links of OSC 8, by a variable that they set and what it holds. */
const LINKING: readonly (readonly [variable: string, value: RegExp])[] = [
  ["TERM_PROGRAM", /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/],
  ["TERM", /^(xterm-kitty|alacritty|foot|xterm-ghostty)/],
  ["VTE_VERSION", /^([5-9]\d{3}|\d{5,})$/],
  ["WT_SESSION", /./],
  ["KONSOLE_VERSION", /./],
  ["DOMTERM", /./],
];

/** Whether `stream` makes links of OSC 8: FORCE_HYPERLINK, then what is known of the terminal. */
export function hasLinks(stream: Output, env: Context["env"]): boolean {
  if (env.FORCE_HYPERLINK !== undefined) {
    return env.FORCE_HYPERLINK !== "0" && env.FORCE_HYPERLINK !== "false";
  }
  return stream.isTTY === true && LINKING.some(([variable, value]) => value.test(env[variable] ?? ""));
}
