import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Context } from "../../cli/context.ts";
import { MAX_KEY_TEXT } from "../../client/key.ts";
import { CredentialsError, InterruptedError } from "../../contract/errors.ts";
import { onAbort } from "../../contract/values/timer.ts";
import { readStream, readText } from "../../files/read-text.ts";

type Streams = Pick<Context, "stdin" | "printError" | "signal">;

/**
 * Asks for the address, or for the key without showing it. Further pasted lines answer the next questions.
 *
 * @throws InterruptedError after Ctrl-C; CredentialsError after Ctrl-D
 */
export type Ask = (what: "address" | "key", question: string) => Promise<string>;

/** Returns a function that asks at the terminal; undefined if stdin is not one. */
export function promptOf({ stdin, printError, signal }: Streams): Ask | undefined {
  if (!stdin.isTTY) {
    return undefined;
  }
  const lines: string[] = [];
  return async (what, question) => {
    let isShown = what !== "key";
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (isShown) {
          printError(String(chunk));
        }
        done();
      },
    });
    const terminal = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt: question });
    // Not before createInterface has turned off the echo: a key typed early would be visible.
    if (isShown) {
      terminal.prompt();
    } else {
      printError(question);
    }
    let stopListening = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        terminal.once("SIGINT", () => reject(new InterruptedError("SIGINT")));
        // On Ctrl-D, or if the terminal was closed.
        terminal.once("close", () => reject(new CredentialsError(`no ${what} was entered. Nothing was stored.`)));
        stopListening = onAbort(signal, () => reject(signal.reason));
        terminal.on("line", (line) => {
          // Further pasted lines may contain the key.
          isShown = false;
          lines.push(line);
          resolve();
        });
        if (lines.length > 0) {
          resolve();
        }
      });
      return lines.shift() ?? "";
    } finally {
      stopListening();
      terminal.close();
      if (what === "key") {
        printError("\n");
      }
    }
  };
}

/** Reads a key that is piped to stdin. @throws CredentialsError if stdin is empty */
export async function readKeyFromPipe(context: Streams): Promise<string> {
  const tooLongError = () => new CredentialsError("the text on stdin is far too long for a key.");
  const text = await readText(readStream(context.stdin, context.signal), { maxBytes: MAX_KEY_TEXT, tooLongError });
  if (text.trim() === "") {
    throw new CredentialsError(
      "stdin is empty: pipe the key to it, or run the command in a terminal to be asked for it.",
    );
  }
  return text;
}
