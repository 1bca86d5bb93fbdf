import { readFileSync, readlinkSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Environment, Folders } from "../config/environment.ts";
import { InterruptedError } from "../contract/errors.ts";
import { sleep } from "../contract/values/timer.ts";
import { writeToStdout } from "../export/destination/stdout.ts";

/** Everything a command needs from its process. Built once and passed on: no other module reads `process`. */
export interface Context extends Environment {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  /** Write to it with `printError`. */
  stderr: Output;
  /**
   * Writes text to stdout, without secrets, and resolves when it was accepted. Rejects with FileError, with ClosedPipeError
   * if the reader closed the pipe, or with the reason of `signal`.
   */
  print: (text: string) => Promise<void>;
  /** Writes text to stderr, without secrets and without symbols that its terminal cannot show. */
  printError: (text: string) => void;
  /** Whether the process was started with stdout closed (`>&-`): all output would be lost without an error. */
  isStdoutClosed: () => boolean;
  /** The command line after the name of the program. */
  argv: readonly string[];
  /** Removes secrets from all texts in a value; errors are changed in place. */
  redact: <T>(value: T) => T;
  /** Processor architecture, such as `x64`. */
  arch: string;
  /** Sets what process listings show instead of the command line. */
  setTitle: (title: string) => void;
  /** `v22.12.0` */
  nodeVersion: string;
  /** Sets whether SIGINT aborts `signal`. At first it does. */
  obeyInterrupts: (isObeyed: boolean) => void;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** A number from 0 up to 1, for jitter. */
  random: () => number;
}

/** Runs a command with its validated options. Tests pass their own to `declare` to see the parsed options. */
export type Run<Options> = (options: Options, context: Context) => Promise<void>;

/** The context before `hideSecrets` completes it. */
export type ProcessContext = Omit<Context, "argv" | "protect" | "redact" | "printError">;

/** An output stream; a terminal has `columns` and `rows`. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number; fd?: number };

export function processContext({ config, data, cache }: Folders): ProcessContext {
  const { signal, obeyInterrupts } = endingSignal();
  for (const stream of [process.stdout, process.stderr]) {
    // Write errors reach the writer; without a listener, Node.js would also end the process.
    stream.on("error", () => undefined);
  }
  return {
    // A getter, because Node.js opens the stream on first access, which takes milliseconds and few commands need it.
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
    obeyInterrupts,
    now: Date.now,
    elapsed: () => performance.now(),
    sleep: (milliseconds, abort = signal) => sleep(milliseconds, abort),
    random: Math.random,
  };
}

/**
 * Whether a descriptor was closed when the process started. Node.js then opens /dev/null in its place, for reading and
 * writing; a shell's `> /dev/null` opens it for writing only. The difference is visible on Linux alone.
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
 * A signal that the first SIGINT or SIGTERM aborts, so that a command can clean up; the second one ends the process.
 * Uncaught errors abort it, too, because Node.js would print them with their secrets.
 */
function endingSignal(): Pick<Context, "signal" | "obeyInterrupts"> {
  const controller = new AbortController();
  let isSigintObeyed = true;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    // Not `once`: the package that restores the cursor ends the process if it has the only listener.
    const end = () => {
      if (name === "SIGINT" && !isSigintObeyed) {
        return;
      }
      if (controller.signal.aborted) {
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
    obeyInterrupts: (isObeyed) => {
      isSigintObeyed = isObeyed;
    },
  };
}
