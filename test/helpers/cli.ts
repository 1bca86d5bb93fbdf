import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { OnEnd } from "./endings.ts";

/** The path of the built tool. It can be set to another build. */
export const CATALOG =
  process.env.CATALOG_UNDER_TEST ?? fileURLToPath(new URL("../../dist/catalog.js", import.meta.url));

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string;
  /** Milliseconds after which the tool is killed: what never ends cannot be ended by the test. */
  timeout?: number;
}

export interface RunResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** An empty folder. It is removed after the test, or as registered with `onEnd`. */
export async function temporaryFolder(onEnd: OnEnd = onTestFinished, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, "catalog-test-"));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An environment without the user's configuration. */
export function bareEnvironment(): Record<string, string> {
  // No cache can be written below a file.
  return {
    PATH: process.env.PATH ?? "",
    TZ: process.env.TZ ?? "",
    HOME: "/nonexistent",
    XDG_CONFIG_HOME: "/nonexistent",
    XDG_CACHE_HOME: CATALOG,
  };
}

/** Starts the built tool with a bare environment. */
export function startCatalog(args: readonly string[], { env = {}, cwd, timeout }: RunOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [CATALOG, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...bareEnvironment(), ...env },
    ...(timeout === undefined ? {} : { timeout, killSignal: "SIGKILL" as const }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // The child may end before it has read its input.
  child.stdin.on("error", () => undefined);
  return child;
}

/** Runs the built tool to its end, without a terminal, like a script. */
export async function runCatalog(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = startCatalog(args, options);
  child.stdin?.end(options.stdin ?? "");
  const [stdout, stderr, [code, signal]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { code, signal, stdout, stderr };
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
