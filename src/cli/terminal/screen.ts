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

/** The decision of a variable such as FORCE_COLOR; undefined if it is not set. */
function isForced(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : value !== "0" && value !== "false";
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
    return { width: undefined, colour: false };
  }
  return { width: terminalWidth(stdout), colour: isColoured(stdout, globals.color, env) };
}

/** Whether someone reads `stream` now: a person at a terminal, or a program at the end of a pipe. */
export function isReadElsewhere(stream: Output): boolean {
  if (stream.isTTY || stream.fd === undefined) {
    return stream.isTTY === true;
  }
  const status = fstatSync(stream.fd);
  return status.isFIFO() || status.isSocket();
}
