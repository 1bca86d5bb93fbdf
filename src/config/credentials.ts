import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Context } from "../context.ts";
import { CredentialsError, FileError } from "../errors.ts";
import { onAbort, startTimer } from "../timer.ts";
import { rightsOfOthers } from "./config-file.ts";
import type { Profile } from "./parse-config.ts";

/** An API key and its source, in words for people. */
export interface Credential {
  apiKey: string;
  source: string;
  /** Why its source is unsafe, as a sentence for people. */
  warning?: string | undefined;
  /** The only origin that the key is sent to; undefined for a key of the environment, which any service gets. */
  origin?: string | undefined;
}

export interface NamedProfile {
  name: string;
  /** Path of the configuration file. */
  path: string;
  values: Profile;
  /** The only origin that its key is sent to; absent if the profile has no address. */
  origin?: string;
  /** The key was removed from the values, because another origin is requested. */
  isWithheld?: boolean;
}

/**
 * Finds the API key: `CATALOG_API_KEY`, `CATALOG_API_KEY_FILE`, then the profile's `api_key` or `api_key_command`.
 * One line end at the end of a file or of a command's output is not part of the key.
 *
 * @throws CredentialsError if there is none, the command fails, or others could have changed the command; FileError if the
 * file cannot be read
 */
export async function findCredential(
  context: Pick<Context, "env" | "signal">,
  profile: NamedProfile | undefined,
): Promise<Credential> {
  const fromEnvironment = context.env.CATALOG_API_KEY;
  if (fromEnvironment !== undefined && fromEnvironment !== "") {
    return { apiKey: fromEnvironment, source: "CATALOG_API_KEY" };
  }
  const file = context.env.CATALOG_API_KEY_FILE;
  if (file) {
    return { apiKey: await readKeyFile(file), source: `CATALOG_API_KEY_FILE (${file})` };
  }
  if (profile?.values.api_key !== undefined) {
    const warning = warningOf(profile.path, "contains an API key", await rightsOfOthers(profile.path));
    return { apiKey: profile.values.api_key, source: `profile ${profile.name}`, warning, origin: profile.origin };
  }
  if (profile?.values.api_key_command !== undefined) {
    const rights = await rightsOfOthers(profile.path);
    if (rights.write) {
      throw new CredentialsError(
        `the api_key_command of profile ${profile.name} is not run: other users of this machine can change ${profile.path}. ` +
          `Check its content, then run \`chmod 600 ${profile.path}\`.`,
      );
    }
    const apiKey = await runKeyCommand(profile.values.api_key_command, profile.name, context);
    const warning = warningOf(profile.path, "contains an api_key_command", rights);
    return { apiKey, source: `api_key_command of profile ${profile.name}`, warning, origin: profile.origin };
  }
  if (profile?.isWithheld) {
    throw new CredentialsError(
      `no API key for this service: the key of profile ${profile.name} is only sent to ${profile.origin}. ` +
        "Set CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store a key in another profile with `catalog auth login --profile NAME`.",
    );
  }
  throw new CredentialsError(
    "no API key: set CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store one with `catalog auth login`. Without an account, try --demo.",
  );
}

function warningOf(path: string, what: string, { read, write }: { read: boolean; write: boolean }): string | undefined {
  if (!read && !write) {
    return undefined;
  }
  return `${path} ${what}, and other users of this machine can ${write ? "change" : "read"} it; run \`chmod 600 ${path}\``;
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return withoutLineEnd(await readFile(path, "utf8"));
  } catch (error) {
    throw new FileError(`CATALOG_API_KEY_FILE ${path} cannot be read: ${(error as Error).message}`, path, error);
  }
}

/** Milliseconds that the command may take. */
const LONGEST_COMMAND = 60_000;

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 1_000;

/** Most bytes of output; a key is much shorter. */
const LONGEST_OUTPUT = 64 * 1024;

/**
 * Runs the command in a shell, because it may contain pipes and quotes. Its output is never part of a message. If the
 * signal is aborted, the command and every process that it started are ended.
 */
export async function runKeyCommand(
  command: string,
  profile: string,
  { env, signal }: Pick<Context, "env" | "signal">,
): Promise<string> {
  signal.throwIfAborted();
  const { spawn } = await import("node:child_process");
  const isWindows = process.platform === "win32";
  const [shell, flag] = isWindows ? ["cmd.exe", "/c"] : ["/bin/sh", "-c"];
  // A process group of its own can be ended as a whole.
  const child = spawn(shell, [flag, command], {
    env: env as NodeJS.ProcessEnv,
    detached: !isWindows,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let why: string | undefined;
  let stopKilling = () => {};
  const end = (reason: string) => {
    why ??= reason;
    kill(child, "SIGTERM");
    stopKilling = startTimer(GRACE, () => kill(child, "SIGKILL"));
  };
  const stopTimer = startTimer(LONGEST_COMMAND, () => end(`did not end within ${LONGEST_COMMAND / 1000} s`));
  const stopListening = onAbort(signal, () => end("was interrupted"));
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (chunks.reduce((size, { length }) => size + length, 0) > LONGEST_OUTPUT) {
      end("wrote more than a key");
    }
  });
  try {
    const [code, name] = await once(child, "close");
    why ??= code === 0 ? undefined : `failed with ${code === null ? name : `exit code ${code}`}`;
  } catch (error) {
    why = `cannot be run (${(error as NodeJS.ErrnoException).code})`;
  } finally {
    stopTimer();
    stopListening();
    stopKilling();
  }
  signal.throwIfAborted();
  if (why !== undefined) {
    throw new CredentialsError(`the api_key_command of profile ${profile} ${why}; run it yourself to see why.`);
  }
  return withoutLineEnd(Buffer.concat(chunks).toString("utf8"));
}

/** Ends the command's process group; on Windows, which has none, the shell alone. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (process.platform === "win32" || child.pid === undefined) {
      child.kill(signal);
    } else {
      process.kill(-child.pid, signal);
    }
  } catch {
    // The group has ended.
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
