// Not `readline/promises`, which completes after a pasted text has gone on.
import { createInterface } from "node:readline";
import type { Context } from "../../../cli/context.ts";
import { type History, MOST_LINES } from "./shell-history.ts";

/** A line, or Ctrl-C with whether something was typed before it, or Ctrl-D. */
export type Typed = { kind: "line"; line: string } | { kind: "interrupted"; wasEmpty: boolean } | { kind: "ended" };

interface LinesOptions {
  history: History;
  /** The words that may complete the end of a line, and that end. */
  complete: (line: string) => [words: string[], end: string];
  signal: AbortSignal;
}

/**
 * Asks for one line after another. Between two of them the terminal is in its usual mode, so that a pager can use it and
 * Ctrl-C is a signal. Lines that are pasted together answer the questions that follow.
 *
 * @throws the reason of `signal`
 */
export function typedLines(
  { stdin, stdout, env, takeInterrupts }: Pick<Context, "stdin" | "stdout" | "env" | "takeInterrupts">,
  { history, complete, signal }: LinesOptions,
): { ask: (prompt: string) => Promise<Typed>; forget: () => void } {
  let pasted: string[] = [];
  let begun = "";
  const ask = async (prompt: string): Promise<Typed> => {
    signal.throwIfAborted();
    const next = pasted.shift();
    if (next !== undefined) {
      return { kind: "line", line: next };
    }
    const terminal = createInterface({
      input: stdin,
      output: stdout,
      terminal: env.TERM !== "dumb",
      prompt,
      completer: complete,
      history: [...history.lines()].reverse(),
      historySize: MOST_LINES,
      removeHistoryDuplicates: true,
    });
    const release = takeInterrupts(() => terminal.emit("SIGINT"));
    let stop = () => {};
    try {
      terminal.prompt();
      terminal.write(begun);
      return await new Promise<Typed>((resolve, reject) => {
        stop = () => reject(signal.reason);
        signal.addEventListener("abort", stop);
        terminal.on("line", (line) => {
          pasted.push(line);
          resolve({ kind: "line", line: "" });
        });
        terminal.once("SIGINT", () => {
          const wasEmpty = terminal.line === "";
          terminal.write(null, { ctrl: true, name: "e" });
          terminal.write(null, { ctrl: true, name: "u" });
          resolve({ kind: "interrupted", wasEmpty });
        });
        terminal.once("close", () => resolve({ kind: "ended" }));
      }).then((typed) => (typed.kind === "line" ? { kind: "line", line: pasted.shift() ?? "" } : typed));
    } finally {
      begun = terminal.line;
      signal.removeEventListener("abort", stop);
      release();
      terminal.close();
    }
  };
  const forget = () => {
    pasted = [];
  };
  return { ask, forget };
}
