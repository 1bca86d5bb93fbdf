import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { MAX_KEY_TEXT } from "../client/key.ts";
import { CredentialsError } from "../contract/errors.ts";
import { onAbort, startDeadline, startTimer } from "../contract/values/timer.ts";
import type { Environment } from "./environment.ts";

export type CommandContext = Pick<Environment, "env" | "signal" | "platform" | "kill">;

/** Milliseconds after which the command is stopped. */
const TIME_LIMIT = 30_000;

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 1_000;

/**
 * Runs the `api_key_command` of a profile in a shell, because it may contain pipes and quotes. Its output never appears in a
 * message. Aborting the signal stops the command and the processes that it started.
 *
 * @returns the trimmed output
 * @throws CredentialsError if it fails, takes too long, or prints nothing or too much; the reason of the signal
 */
export async function runKeyCommand(
  command: string,
  profile: string,
  { env, signal, platform, kill }: CommandContext,
): Promise<string> {
  signal.throwIfAborted();
  if (command.trim() === "") {
    throw new CredentialsError(`the api_key_command of profile ${profile} is empty.`);
  }
  const { spawn } = await import("node:child_process");
  const isWindows = platform === "win32";
  // Detached, because a process group of its own can be stopped as a whole.
  const child = spawn(command, {
    shell: true,
    env: env as NodeJS.ProcessEnv,
    detached: !isWindows,
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Windows has no process groups, so only the shell gets the signal there.
  const sendSignal = (name: NodeJS.Signals) => {
    try {
      if (isWindows) {
        child.kill(name);
      } else {
        kill(-(child.pid as number), name);
      }
    } catch {
      // The group has ended.
    }
  };
  let stop = (_why: string) => {};
  const stopped = new Promise<string>((resolve) => {
    stop = resolve;
  });
  const stopTimer = startTimer(TIME_LIMIT, () => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const what = !hasEnded ? "did not end" : "ended, but what it started did not close its output";
    stop(`${what} within ${TIME_LIMIT / 1000} s`);
  });
  const stopListening = onAbort(signal, () => stop("was interrupted"));
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (chunks.reduce((size, { length }) => size + length, 0) > MAX_KEY_TEXT) {
      stop("printed more than a key can have");
    }
  });
  try {
    const why = await Promise.race([failureOf(child), stopped]);
    signal.throwIfAborted();
    if (why !== undefined) {
      throw new CredentialsError(`the api_key_command of profile ${profile} ${why}; run it yourself to see why.`);
    }
    const key = Buffer.concat(chunks).toString("utf8").trim();
    if (key === "") {
      throw new CredentialsError(
        `the api_key_command of profile ${profile} printed nothing; run it yourself to see why.`,
      );
    }
    return key;
  } finally {
    stopTimer();
    stopListening();
    await end(child, sendSignal);
  }
}

/** Resolves when the command has ended and its output is closed: with what failed, undefined if it succeeded. */
async function failureOf(child: ChildProcess): Promise<string | undefined> {
  try {
    const [code, name] = await once(child, "close");
    return code === 0 ? undefined : `failed with ${code === null ? name : `exit code ${code}`}`;
  } catch (error) {
    return `cannot be run (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** Stops the command if it runs, and closes its output, which a process outside of its group may keep open. */
async function end(child: ChildProcess, sendSignal: (name: NodeJS.Signals) => void): Promise<void> {
  if (child.pid === undefined || child.stdout?.closed !== false) {
    return;
  }
  sendSignal("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) {
    const grace = startDeadline([], GRACE, () => new Error("the command ignores SIGTERM"));
    await once(child, "exit", { signal: grace.signal }).catch(() => undefined);
    grace.release();
  }
  sendSignal("SIGKILL");
  child.stdout.destroy();
}
