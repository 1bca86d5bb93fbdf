import { homedir } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import envPaths from "env-paths";

/**
 * What a command may know of the world, built once and passed on. Nothing else in the tool reads `process`.
 */
export interface Context {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** The platform's folders of this tool (XDG on Linux). */
  folders: { config: string; data: string; cache: string };
  homeFolder: string;
  pid: number;
  /** Aborted by SIGINT and SIGTERM; its reason is an `InterruptedError`. */
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when it is aborted before. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1, for jitter. */
  random: () => number;
}

/** An output stream and, where it is a terminal, its width. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The context of the running process. `signal` is wired by the caller, who also owns the exit code. */
export function processContext(signal: AbortSignal): Context {
  const { config, data, cache } = envPaths("catalog", { suffix: "" });
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    folders: { config, data, cache },
    homeFolder: homedir(),
    pid: process.pid,
    signal,
    now: Date.now,
    sleep: async (milliseconds, abort = signal) => {
      await delay(milliseconds, undefined, { signal: abort }).catch((error: unknown) => {
        throw abort.aborted ? abort.reason : error;
      });
    },
    random: Math.random,
  };
}
