import { UsageError } from "../contract/errors.ts";
import { quoted } from "../contract/values/phrases.ts";

/**
 * Refuses a path that begins with `~`. The shell expands it only outside of quotes, and nothing else does.
 *
 * @param source the flag, operand or variable with the path
 */
export function refuseTilde(path: string, source: string): void {
  if (/^~[\w-]*(\/|$)/.test(path)) {
    const inHome = path.replace(/^~/, "$HOME");
    const home =
      path.startsWith("~/") || path === "~" ? `write "${inHome}" for the home folder` : "write the home folder out";
    throw new UsageError(
      `${source} ${quoted(path)}: the ~ was not expanded; ${home}, or ./${path} for a name that begins with ~.`,
      {
        ...(source.startsWith("--") && { flag: source, value: path }),
      },
    );
  }
}
