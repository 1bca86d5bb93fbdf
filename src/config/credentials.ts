import { readFile, stat } from "node:fs/promises";
import { assertSendable, MAX_KEY_TEXT } from "../client/key.ts";
import { CredentialsError, FileError } from "../contract/errors.ts";
import { quoteCommand } from "../contract/values/quote-command.ts";
import { readFileText } from "../files/read-text.ts";
import { errorCode } from "../files/system-error.ts";
import { DEFAULT_PROFILE, type Profile, readConfig } from "./config-file.ts";
import type { Environment } from "./environment.ts";
import { refuseTilde } from "./expanded-path.ts";
import { type CommandContext, runKeyCommand } from "./key-command.ts";
import { dangerOf, rightsOfOthers } from "./trusted-path.ts";

export type KeyContext = CommandContext & Pick<Environment, "userId">;

/** An API key and where it comes from. */
export interface Credential {
  apiKey: string;
  /** For messages. */
  source: string;
  /** For messages: why its source is unsafe. */
  warning?: string | undefined;
  /** The only origin that gets the key; undefined for a key from the environment, which is sent to any service. */
  origin?: string | undefined;
}

export interface NamedProfile {
  name: string;
  /** The path of the configuration file. */
  path: string;
  values: Profile;
  /** The only origin that gets its key; absent if the profile has no address. */
  origin?: string;
  /** Whether `values` are without the key because another origin is requested. */
  isKeyWithheld?: boolean;
}

/**
 * Finds the API key: `CATALOG_API_KEY`, `CATALOG_API_KEY_FILE`, then the profile's `api_key` or `api_key_command`.
 * Trims white space around it.
 *
 * @throws CredentialsError if there is none, it cannot be sent, the command fails, or other users could have changed the
 * command; FileError if the file cannot be read; UsageError if the command line contains the key
 */
export async function findCredential(
  context: Pick<Environment, "protect"> & KeyContext,
  profile: NamedProfile | undefined,
): Promise<Credential> {
  const { apiKey, ...credential } = await readCredential(context, profile);
  const key = apiKey.trim();
  context.protect(key);
  assertSendable(key, credential.source);
  return { apiKey: key, ...credential };
}

async function readCredential(context: KeyContext, profile: NamedProfile | undefined): Promise<Credential> {
  const fromEnvironment = context.env.CATALOG_API_KEY;
  if (fromEnvironment !== undefined && fromEnvironment !== "") {
    return { apiKey: fromEnvironment, source: "CATALOG_API_KEY" };
  }
  const file = context.env.CATALOG_API_KEY_FILE;
  if (file) {
    refuseTilde(file, "CATALOG_API_KEY_FILE");
    return { apiKey: await readKeyFile(file, context.signal), source: `CATALOG_API_KEY_FILE (${file})` };
  }
  if (profile?.values.api_key !== undefined) {
    const warning = await warningOf(profile.path, "contains an API key", context);
    return { apiKey: profile.values.api_key, source: `profile ${profile.name}`, warning, origin: profile.origin };
  }
  if (profile?.values.api_key_command !== undefined) {
    const danger = await dangerOf(profile.path, context.userId);
    if (danger !== undefined) {
      throw new CredentialsError(`the api_key_command of profile ${profile.name} is not run: ${danger}`);
    }
    const apiKey = await runKeyCommand(profile.values.api_key_command, profile.name, context);
    const warning = await warningOf(profile.path, "contains an api_key_command", context);
    return { apiKey, source: `api_key_command of profile ${profile.name}`, warning, origin: profile.origin };
  }
  if (profile?.isKeyWithheld) {
    throw new CredentialsError(
      `no API key for this service: the key of profile ${profile.name} is only sent to ${profile.origin}. ` +
        "Set CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store a key in another profile with `catalog auth login --profile NAME`.",
    );
  }
  const { name = DEFAULT_PROFILE } = profile ?? {};
  const login = quoteCommand(["catalog", "auth", "login", ...(name === DEFAULT_PROFILE ? [] : ["--profile", name])]);
  throw new CredentialsError(
    `no API key: set CATALOG_API_KEY or CATALOG_API_KEY_FILE, or store one with \`${login}\`. Without an account, try --demo.`,
  );
}

async function warningOf(path: string, what: string, context: KeyContext): Promise<string | undefined> {
  const { read, write } = await rightsOfOthers(path, context);
  if (!read && !write) {
    return undefined;
  }
  return `${path} ${what}, and other users of this machine can ${write ? "change" : "read"} it; run \`${quoteCommand(["chmod", "600", path])}\``;
}

async function readKeyFile(path: string, signal: AbortSignal): Promise<string> {
  const tooLongError = () => new FileError(`CATALOG_API_KEY_FILE ${path} is far too long for a key`, path);
  try {
    return await readFileText(path, signal, { maxBytes: MAX_KEY_TEXT, tooLongError });
  } catch (error) {
    throw errorCode(error) === undefined
      ? error
      : new FileError(`CATALOG_API_KEY_FILE cannot be read: ${(error as Error).message}`, path, error);
  }
}

/** The keys in the environment, the key file and all profiles. Skips what cannot be read. */
export async function knownKeys(context: Pick<Environment, "env" | "folders">): Promise<string[]> {
  const { CATALOG_API_KEY: key, CATALOG_API_KEY_FILE: file } = context.env;
  const [fromFile, config] = await Promise.all([
    file ? readRegularFile(file).catch(() => "") : "",
    readConfig(context).catch(() => undefined),
  ]);
  const profiles = [...(config?.profiles.values() ?? [])].map((profile) => profile.api_key);
  return [key, fromFile, ...profiles].flatMap((secret) => secret?.trim() || []);
}

/** Reads a regular file; empty for a pipe, which could not be read again later. */
async function readRegularFile(path: string): Promise<string> {
  return (await stat(path)).isFile() ? await readFile(path, "utf8") : "";
}
