import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { OnEnd } from "./endings.ts";

/** The built tool; another build of it may be named. */
export const CATALOG =
  process.env.CATALOG_UNDER_TEST ?? fileURLToPath(new URL("../../dist/catalog.js", import.meta.url));

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string;
}

export interface RunResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** An empty folder, removed when the test has ended, or when `onEnd` says. */
export async function temporaryFolder(onEnd: OnEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "catalog-test-"));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An environment in which nothing of the user's configuration counts. */
export function bareEnvironment(): Record<string, string> {
  // Below a file no cache can be written.
  return {
    PATH: process.env.PATH ?? "",
    HOME: "/nonexistent",
    XDG_CONFIG_HOME: "/nonexistent",
    XDG_CACHE_HOME: CATALOG,
  };
}

/** Starts the built tool with a bare environment. */
export function startCatalog(args: readonly string[], { env = {}, cwd }: RunOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [CATALOG, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...bareEnvironment(), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // What a child that has ended had not read yet.
  child.stdin.on("error", () => undefined);
  return child;
}

/** Runs the built tool to its end, as a script would: nothing is a terminal. */
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
