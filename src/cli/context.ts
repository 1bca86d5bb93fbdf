import { readFileSync, readlinkSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { sleep } from "../client/timer.ts";
import type { Environment, Folders } from "../config/environment.ts";
import { InterruptedError } from "../contract/errors.ts";
import { writeToStdout } from "../export/destination/stdout.ts";

/** The environment of a command, built once and passed on. Nothing else in the tool reads `process`. */
export interface Context extends Environment {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /**
   * Writes text to stdout and resolves when it was accepted. Rejects with FileError, with ClosedPipeError if the reader
   * closed the pipe, or with the reason of `signal`.
   */
  print: (text: string) => Promise<void>;
  /** Whether the process was started with stdout closed (`>&-`): all output would be lost without an error. */
  isStdoutClosed: () => boolean;
  /** Leaves the secrets out of a value; an error is changed in place. */
  redact: <T>(value: T) => T;
  /** Of the processor: `x64`. */
  arch: string;
  /** What the list of processes shows in the place of the arguments. */
  setTitle: (title: string) => void;
  /** `v22.12.0` */
  nodeVersion: string;
  /** SIGINT calls `handle`, instead of aborting `signal`, until the returned function is called. The latest call counts. */
  takeInterrupts: (handle: () => void) => () => void;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** A number from 0 up to 1, for jitter. */
  random: () => number;
}

/**
 * What a command does with its complete options. `declare` of a command takes another one, so that a test sees the options
 * of a command line and starts nothing.
 */
export type Run<Options> = (options: Options, context: Context) => Promise<void>;

/** What the process alone knows; `main` completes it. */
export type ProcessContext = Omit<Context, "protect" | "redact">;

/** An output stream; a terminal has `columns` and `rows`. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number; fd?: number };

/** The context of the running process. */
export function processContext({ config, data, cache }: Folders): ProcessContext {
  const { signal, takeInterrupts } = endingSignal();
  for (const stream of [process.stdout, process.stderr]) {
    // The writer gets the error of a closed pipe; without a listener Node would end the process.
    stream.on("error", () => undefined);
  }
  return {
    // Node.js makes this stream when it is first read, which takes milliseconds that few commands need.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    print: writeToStdout(process.stdout, { signal }).write,
    isStdoutClosed: () => isClosed(process.stdout.fd),
    env: process.env,
    folders: { config, data, cache },
    pid: process.pid,
    platform: process.platform,
    arch: process.arch,
    userId: process.geteuid?.(),
    kill: (pid, name) => void process.kill(pid, name),
    setTitle: (title) => {
      process.title = title;
    },
    nodeVersion: process.version,
    signal,
    takeInterrupts,
    now: Date.now,
    elapsed: () => performance.now(),
    sleep: (milliseconds, abort = signal) => sleep(milliseconds, abort),
    random: Math.random,
  };
}

/**
 * If a descriptor is closed at the start, Node opens /dev/null for reading and writing in its place. A shell's
 * `> /dev/null` opens it only for writing. Only Linux shows the difference.
 */
function isClosed(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "0";
    const isReadWrite = (Number.parseInt(flags, 8) & 0b11) === 0b10;
    return isReadWrite && readlinkSync(`/proc/self/fd/${fd}`) === "/dev/null";
  } catch {
    return false;
  }
}

/**
 * The first SIGINT or SIGTERM aborts, so that a command can clean up; a second one ends the process at once. An error that
 * nothing caught aborts, too: Node.js would print it with its secrets.
 */
function endingSignal(): Pick<Context, "signal" | "takeInterrupts"> {
  const controller = new AbortController();
  const takers: (() => void)[] = [];
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    // Not `once`: the library that restores the cursor ends the process if it has the only listener.
    const end = () => {
      const taker = takers.at(-1);
      if (name === "SIGINT" && taker !== undefined) {
        taker();
      } else if (controller.signal.aborted) {
        process.off(name, end);
        process.kill(process.pid, name);
      } else {
        controller.abort(new InterruptedError(name));
      }
    };
    process.on(name, end);
  }
  process.on("uncaughtException", (error) => controller.abort(error));
  return {
    signal: controller.signal,
    takeInterrupts: (handle) => {
      takers.push(handle);
      return () => {
        takers.splice(takers.lastIndexOf(handle), 1);
      };
    },
  };
}
