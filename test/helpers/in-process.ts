import { clearLine, cursorTo, moveCursor } from "node:readline";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import type { Context, Output } from "../../src/cli/context.ts";
import { writeToStdout } from "../../src/export/destination/stdout.ts";
import { main } from "../../src/main.ts";

export interface InProcessOptions extends Partial<Omit<Context, "stdin" | "stdout" | "stderr">> {
  /** The service whose address and key are in the environment. */
  service?: { url: string | URL; key: string };
  /** Text, or a stream. */
  stdin?: string | Context["stdin"];
  /**
   * The folder of the arguments that begin with `./`, as of `.` alone. What is written names its files without it. The
   * process has one working folder for all runs, so none changes it.
   */
  cwd?: string;
  /** Streams to use instead of those that collect the output. */
  stdout?: Output;
  stderr?: Output;
  /** Size of the terminal, in cells. Without it, stdout and stderr are not a terminal. */
  columns?: number;
}

export interface InProcessResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process, in a separate context without the user's configuration. */
export async function runInProcess(
  args: readonly string[],
  { service, cwd, stdin = "", columns, env = {}, ...options }: InProcessOptions = {},
): Promise<InProcessResult> {
  const [stdout, stderr] = [capture(columns), capture(columns)];
  // Nothing can be written below a file.
  const nowhere = fileURLToPath(import.meta.url);
  const { signal = new AbortController().signal } = options;
  const words = args.map((word) => (cwd !== undefined && /^\.(\/|$)/.test(word) ? `${cwd}${word.slice(1)}` : word));
  const code = await main(words, {
    stdin: typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout: stdout.stream,
    stderr: options.stderr ?? stderr.stream,
    print: writeToStdout(options.stdout ?? stdout.stream, { signal }).write,
    isStdoutClosed: () => false,
    folders: {
      config: "/nonexistent",
      data: nowhere,
      cache: args.includes("--demo") ? inject("sharedFolder") : nowhere,
    },
    pid: process.pid,
    setTitle: () => undefined,
    nodeVersion: process.version,
    now: Date.now,
    elapsed: () => performance.now(),
    sleep: (milliseconds, abort = signal) => delay(milliseconds, undefined, { signal: abort }),
    random: Math.random,
    platform: process.platform,
    arch: process.arch,
    userId: process.geteuid?.(),
    kill: (pid, name) => void process.kill(pid, name),
    obeyInterrupts: () => undefined,
    ...options,
    signal,
    env: {
      PATH: process.env.PATH,
      ...(service && { CATALOG_BASE_URL: String(service.url), CATALOG_API_KEY: service.key }),
      ...env,
    },
  });
  const shown = (text: string) => (cwd === undefined ? text : text.replaceAll(`${cwd}/`, ""));
  return { code, stdout: shown(stdout.text()), stderr: shown(stderr.text()) };
}

/** The rows of an output in NDJSON. */
export function recordsOf<Row = Record<string, unknown>>(ndjson: string): Row[] {
  const lines = ndjson === "" ? [] : ndjson.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** A stream that collects what is written to it. */
function capture(columns: number | undefined): { stream: Output; text: () => string } {
  const chunks: Buffer[] = [];
  const stream: Output = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  if (columns !== undefined) {
    Object.assign(stream, {
      ...{ isTTY: true, columns },
      cursorTo: (x: number) => cursorTo(stream, x),
      moveCursor: (dx: number, dy: number) => moveCursor(stream, dx, dy),
      clearLine: (direction: -1 | 0 | 1) => clearLine(stream, direction),
    });
  }
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
