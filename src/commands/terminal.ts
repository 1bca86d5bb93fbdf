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
  return stream.isTTY ? (stream.columns ?? 80) : undefined;
}
