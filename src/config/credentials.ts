import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Context } from "../context.ts";
import { CredentialsError, FileError } from "../errors.ts";
import type { Profile } from "./file.ts";

/** An API key and where it came from, in words for people. */
export interface Credential {
  apiKey: string;
  source: string;
}

/**
 * Finds the API key: `CATALOG_API_KEY`, `CATALOG_API_KEY_FILE`, then the profile's `api_key` or `api_key_command`.
 * One line end at the end of a file or of a command's output is not part of the key.
 *
 * @throws CredentialsError when there is none or the command fails; FileError when the file cannot be read
 */
export async function findCredential(
  context: Pick<Context, "env" | "signal">,
  profile: { name: string; values: Profile } | undefined,
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
    return { apiKey: profile.values.api_key, source: `profile ${profile.name}` };
  }
  if (profile?.values.api_key_command !== undefined) {
    const apiKey = await runKeyCommand(profile.values.api_key_command, profile.name, context);
    return { apiKey, source: `api_key_command of profile ${profile.name}` };
  }
  throw new CredentialsError(
    "no API key: set CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store one with `catalog auth login`. Without an account, try --demo.",
  );
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return withoutLineEnd(await readFile(path, "utf8"));
  } catch (error) {
    throw new FileError(`CATALOG_API_KEY_FILE ${path} cannot be read: ${(error as Error).message}`, path, error);
  }
}

/** Runs through the shell, since people write pipes and quotes there; its output never reaches a message. */
export async function runKeyCommand(
  command: string,
  profile: string,
  context: Pick<Context, "env" | "signal">,
): Promise<string> {
  const [shell, flag] = process.platform === "win32" ? ["cmd.exe", "/c"] : ["/bin/sh", "-c"];
  try {
    const { stdout } = await promisify(execFile)(shell, [flag, command], {
      env: context.env as NodeJS.ProcessEnv,
      signal: context.signal,
      timeout: 60_000,
      maxBuffer: 64 * 1024,
    });
    return withoutLineEnd(stdout);
  } catch (error) {
    context.signal.throwIfAborted();
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    const why =
      killed === true
        ? "did not end within 60 s"
        : `failed with ${typeof code === "number" ? `exit code ${code}` : String(code)}`;
    throw new CredentialsError(`the api_key_command of profile ${profile} ${why}; run it by hand to see why.`);
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
