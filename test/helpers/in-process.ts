import { realpathSync } from "node:fs";
import { clearLine, cursorTo, moveCursor } from "node:readline";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import type { Context, Output } from "../../src/context.ts";
import { main } from "../../src/main.ts";
import { writeToStdout } from "../../src/output/destination/stdout.ts";
import type { TestService } from "./service.ts";

export interface InProcessOptions extends Partial<Omit<Context, "stdin" | "stdout" | "stderr">> {
  /** The service whose address and key are in the environment. */
  service?: TestService;
  /** Text, or a stream. */
  stdin?: string | Context["stdin"];
  /** The working folder of the run. */
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
  { cwd, ...options }: InProcessOptions = {},
): Promise<InProcessResult> {
  const leave = enterFolder(cwd);
  try {
    return await runHere(args, options);
  } finally {
    leave();
  }
}

const home = process.cwd();
/** The number of runs that use the working folder of the process, which has only one. */
let runsInFolder = 0;

function enterFolder(folder: string | undefined): () => void {
  if (folder === undefined) {
    return () => undefined;
  }
  if (runsInFolder > 0 && process.cwd() !== realpathSync(folder)) {
    throw new Error(`another run in this process is in ${process.cwd()}, so none can be in ${folder}`);
  }
  process.chdir(folder);
  runsInFolder += 1;
  return () => {
    runsInFolder -= 1;
    if (runsInFolder === 0) {
      process.chdir(home);
    }
  };
}

async function runHere(
  args: readonly string[],
  { service, stdin = "", columns, env = {}, ...options }: Omit<InProcessOptions, "cwd">,
): Promise<InProcessResult> {
  const [stdout, stderr] = [capture(columns), capture(columns)];
  // Nothing can be written below a file.
  const nowhere = fileURLToPath(import.meta.url);
  const { signal = new AbortController().signal } = options;
  const code = await main(args, {
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
    homeFolder: nowhere,
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
    takeInterrupts: () => () => undefined,
    ...options,
    signal,
    env: {
      PATH: process.env.PATH,
      ...(service && { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: service.key }),
      ...env,
    },
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
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
