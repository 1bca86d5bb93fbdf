import { fstatSync } from "node:fs";
import type { Context, Output } from "../context.ts";
import type { GlobalOptions } from "../flags/global.ts";
import type { OutputOptions } from "../flags/output.ts";
import type { Screen } from "./style.ts";

/** Whether to colour output: `--no-color` decides, then NO_COLOR and FORCE_COLOR, then the terminal. */
export function isColoured(stream: Output, color: boolean, env: Context["env"]): boolean {
  if (!color || env.NO_COLOR) {
    return false;
  }
  return isForced(env.FORCE_COLOR) ?? (stream.isTTY === true && env.TERM !== "dumb");
}

/** Whether a variable such as FORCE_COLOR turns something on or off; undefined if it is not set, or empty. */
function isForced(value: string | undefined): boolean | undefined {
  return value ? value !== "0" && value !== "false" : undefined;
}

/** The width of the terminal; undefined, which means no limit, for any other stream. */
export function terminalWidth(stream: Output): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}

/** How to draw a text for people on stdout, or in the file of `output`, which has no width and no colour. */
export function screenOf(
  { stdout, env }: Pick<Context, "stdout" | "env">,
  { globals, output }: { globals: Pick<GlobalOptions, "color">; output?: Pick<OutputOptions<string>, "output"> },
): Screen {
  if (output?.output !== undefined) {
    return { width: undefined, colour: false, links: false };
  }
  const colour = isColoured(stdout, globals.color, env);
  // Links are control sequences, too, which NO_COLOR and dumb terminals forbid.
  return { width: terminalWidth(stdout), colour, links: colour && hasLinks(stdout, env) };
}

export function hiddenColumnsNotes(hidden: readonly string[], remedy: string): string[] {
  return hidden.length === 0 ? [] : [`not shown: ${hidden.join(", ")} (${remedy})`];
}

/** Whether the stream is a terminal, a pipe or a socket, rather than a file. */
export function isInteractiveOrPipe(stream: Output): boolean {
  if (stream.isTTY || stream.fd === undefined) {
    return stream.isTTY === true;
  }
  const status = fstatSync(stream.fd);
  return status.isFIFO() || status.isSocket();
}

/** Terminals with OSC 8 links, by an environment variable that they set. */
const LINKING: readonly (readonly [variable: string, value: RegExp])[] = [
  ["TERM_PROGRAM", /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/],
  ["TERM", /^(xterm-kitty|alacritty|foot|xterm-ghostty)/],
  ["VTE_VERSION", /^([5-9]\d{3}|\d{5,})$/],
  ["WT_SESSION", /./],
  ["KONSOLE_VERSION", /./],
  ["DOMTERM", /./],
];

/** Whether `stream` shows OSC 8 links: FORCE_HYPERLINK decides, then the terminal. */
function hasLinks(stream: Output, env: Context["env"]): boolean {
  const isLinking = () =>
    LINKING.some(([variable, pattern]) => {
      const value = env[variable];
      return value !== undefined && pattern.test(value);
    });
  return isForced(env.FORCE_HYPERLINK) ?? (stream.isTTY === true && isLinking());
}
