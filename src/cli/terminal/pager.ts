import { once } from "node:events";
import { isStdout } from "../../export/destination/stdout.ts";
import type { Context } from "../context.ts";
import type { OutputOptions } from "../flags/output.ts";
import type { Reporter } from "../reporter.ts";
import { writeChunks } from "../write-rows.ts";
import { asciiText, isAscii } from "./ascii.ts";
import { notShown } from "./screen.ts";

/** less: exit at once if the text fits the screen (F), show colours (R), keep the text on the screen (X). */
const DEFAULT_PAGER = "less -FRX";

/** Runs a pager. A shell that can tell so ends with the error of any part of a pipe, as of `no-such-pager | cat`. */
const SHELL = 'command -v bash >/dev/null && exec bash -o pipefail -c "$0"; eval "$0"';

/** Writes a text for people; uses `$PAGER` on a terminal if the text is longer than the screen. */
export async function showText(
  text: string,
  options: OutputOptions<string>,
  { pager }: { pager: boolean },
  context: Context,
): Promise<void> {
  const { stdout, env } = context;
  const shown = stdout.isTTY && isStdout(options.output) && isAscii(env) ? asciiText(text) : text;
  const isLong = text.split("\n").length > (stdout.rows ?? Number.POSITIVE_INFINITY);
  const command = env.PAGER ?? DEFAULT_PAGER;
  const isPaged =
    pager && isLong && stdout.isTTY && options.output === undefined && env.TERM !== "dumb" && command.trim() !== "";
  if (!isPaged || !(await runPager(shown, command, context))) {
    await writeChunks([shown], options, context);
  }
}

/** Shows a table, and notes the columns that did not fit into the terminal. */
export async function showTable(
  { text, hidden }: { text: string; hidden: readonly string[] },
  output: OutputOptions<string>,
  list: { pager: boolean },
  { note }: Pick<Reporter, "note">,
  context: Context,
): Promise<void> {
  await showText(text, output, list, context);
  notShown(hidden, "-f csv has them all").forEach(note);
}

/** @returns whether the pager showed the text; a person who leaves it early has seen enough */
async function runPager(text: string, command: string, context: Context): Promise<boolean> {
  const { spawn } = await import("node:child_process");
  // Ctrl-C reaches every process of the terminal; while the pager runs, only the pager handles it.
  const resume = context.takeInterrupts(() => undefined);
  let stop = () => {};
  try {
    const [program, args, shell] =
      context.platform === "win32" ? [command, [], true] : ["sh", ["-c", SHELL, command], false];
    const child = spawn(program, args, { shell, stdio: ["pipe", "inherit", "inherit"], env: { ...context.env } });
    stop = () => void child.kill();
    context.signal.addEventListener("abort", stop);
    // The pager may end before it has read everything.
    child.stdin.on("error", () => undefined);
    child.stdin.end(text);
    const [code] = (await once(child, "close")) as [number | null];
    context.signal.throwIfAborted();
    return !hasFailed(code);
  } catch {
    context.signal.throwIfAborted();
    // No process can be started.
    return false;
  } finally {
    context.signal.removeEventListener("abort", stop);
    resume();
  }
}

/**
 * Whether a pager ended with an error, such as 127 of a shell that does not find it. From 129 on, a signal ended it; `less
 * -K` ends with 2 after Ctrl-C.
 */
function hasFailed(code: number | null): boolean {
  return code !== null && code !== 0 && code !== 2 && code <= 128;
}
