import { once } from "node:events";
import { isStdout } from "../../export/destination/stdout.ts";
import type { Context } from "../context.ts";
import type { OutputOptions } from "../flags/output.ts";
import type { Reporter } from "../reporter.ts";
import { writeChunks } from "../write-rows.ts";
import { textForStdout } from "./ascii.ts";
import { hiddenColumnsNotes } from "./screen.ts";

/** Options of less: exit if the text fits the screen (F), show colours (R), leave the text on the screen (X). */
const DEFAULT_PAGER = "less -FRX";

/** Runs a pager. With bash, a failure of any part of a pipe such as `no-such-pager | cat` is noticed. */
const SHELL = 'command -v bash >/dev/null && exec bash -o pipefail -c "$0"; eval "$0"';

/** Writes a text for people, through `$PAGER` if it is longer than the terminal. */
export async function showText(
  text: string,
  options: OutputOptions<string>,
  { pager }: { pager: boolean },
  context: Context,
): Promise<void> {
  const { stdout, env } = context;
  const shown = isStdout(options.output) ? textForStdout(text, context) : text;
  // A terminal without a size has zero rows.
  const isLong = text.split("\n").length > (stdout.rows || Number.POSITIVE_INFINITY);
  const command = env.PAGER ?? DEFAULT_PAGER;
  const isPaged =
    pager && isLong && stdout.isTTY && options.output === undefined && env.TERM !== "dumb" && command.trim() !== "";
  if (!isPaged || !(await runPager(shown, command, context))) {
    await writeChunks([shown], options, context);
  }
}

/** Shows a table, and notes which columns did not fit into the terminal. */
export async function showTable(
  { text, hidden }: { text: string; hidden: readonly string[] },
  output: OutputOptions<string>,
  list: { pager: boolean },
  { note }: Pick<Reporter, "note">,
  context: Context,
): Promise<void> {
  await showText(text, output, list, context);
  hiddenColumnsNotes(hidden, "-f csv has them all").forEach(note);
}

/** @returns whether the pager worked; leaving it early is no failure */
async function runPager(text: string, command: string, context: Context): Promise<boolean> {
  const { spawn } = await import("node:child_process");
  // Ctrl-C reaches all processes of the terminal. While the pager runs, it is only meant for the pager.
  context.obeyInterrupts(false);
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
    context.obeyInterrupts(true);
  }
}

/**
 * Whether an exit code means that the pager failed, as 127 of a shell that does not find it. `less -K` exits with 2 after
 * Ctrl-C, and codes above 128 stand for signals.
 */
function hasFailed(code: number | null): boolean {
  return code !== null && code !== 0 && code !== 2 && code <= 128;
}
