import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { readStdin } from "../../cli/stdin.ts";
import type { Context } from "../../context.ts";
import { CredentialsError, InterruptedError } from "../../errors.ts";

/** A key has 43 characters; much longer input is probably a file piped by mistake. */
const LONGEST_INPUT = 64 * 1024;

type Streams = Pick<Context, "stdin" | "stderr" | "signal">;

/**
 * Reads a key that is typed or pasted at the terminal, without echo, or else piped to stdin. One line end at the end is
 * removed.
 *
 * @throws InterruptedError after Ctrl-C; CredentialsError if there is nothing to read
 */
export async function readKey(context: Streams, question: string): Promise<string> {
  return context.stdin.isTTY ? await promptForKey(context, question) : await readPipe(context);
}

async function promptForKey({ stdin, stderr, signal }: Streams, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 });
  // The question comes after echo is off; otherwise a key that is typed early would be visible.
  stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      terminal.once("SIGINT", () => reject(new InterruptedError("SIGINT")));
      // Ctrl-D, or the terminal was closed.
      terminal.once("close", () => reject(new CredentialsError("no key was entered. Nothing was stored.")));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      terminal.once("line", resolve);
    });
  } finally {
    terminal.close();
    stderr.write("\n");
  }
}

async function readPipe(context: Streams): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readStdin(context, context.signal)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST_INPUT) {
      throw new CredentialsError("the text on stdin is far too long for a key.");
    }
  }
  const text = Buffer.concat(chunks).toString();
  if (text === "") {
    throw new CredentialsError(
      "stdin is empty: pipe the key to it, or run the command in a terminal to be asked for it.",
    );
  }
  return text.replace(/\r?\n$/, "");
}
