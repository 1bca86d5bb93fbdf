import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileError, UsageError } from "../contract/errors.ts";
import type { Environment } from "./environment.ts";
import { refuseTilde } from "./expanded-path.ts";

const PROFILE_KEYS = ["base_url", "api_key", "api_key_command", "status_url"] as const;

/** One `[profiles.NAME]` table of the configuration file. */
export type Profile = Partial<Record<(typeof PROFILE_KEYS)[number], string>>;

export interface Profiles {
  profiles: ReadonlyMap<string, Profile>;
  /** `default_profile`: the profile that is used if none is requested. */
  defaultProfile: string | undefined;
}

interface ConfigFile extends Profiles {
  path: string | undefined;
  /** Undefined if the file is missing. */
  text: string | undefined;
}

/** The profile requested by `--profile` or the environment; undefined if neither names one. */
export function askedProfile(flag: string | undefined, { env }: Pick<Environment, "env">): string | undefined {
  return flag ?? (env.CATALOG_PROFILE || undefined);
}

/** Name of the profile that is used if no other is requested or configured. */
export const DEFAULT_PROFILE = "default";

/**
 * Path of the configuration file: `CATALOG_CONFIG`, or `config.toml` in the platform's configuration folder; undefined if
 * there is neither.
 */
export function configPath({ env, folders }: Pick<Environment, "env" | "folders">): string | undefined {
  return env.CATALOG_CONFIG || (folders.config && join(folders.config, "config.toml"));
}

/**
 * Reads the configuration file. If it is missing and may be missing, there are no profiles.
 *
 * @param mayBeMissing default: whether `CATALOG_CONFIG` is not set
 * @throws FileError when it cannot be read; UsageError when it is not TOML of the expected shape
 */
export async function readConfig(
  context: Pick<Environment, "env" | "folders">,
  { mayBeMissing = !context.env.CATALOG_CONFIG } = {},
): Promise<ConfigFile> {
  const path = configPath(context);
  const none = { path, text: undefined, profiles: new Map<string, Profile>(), defaultProfile: undefined };
  if (path === undefined) {
    return none;
  }
  refuseTilde(path, "CATALOG_CONFIG");
  const text = await readUnlessPipe(path).catch((error: NodeJS.ErrnoException) => {
    if (mayBeMissing && error.code === "ENOENT") {
      return undefined;
    }
    throw new FileError(`the configuration file ${path} cannot be read: ${error.message}`, path, error);
  });
  if (text === undefined) {
    return none;
  }
  return { path, text, ...(await parseConfig(text, path)) };
}

/** The text of a file. Opening a named pipe would block a thread until it has a writer, and a command reads the file twice. */
async function readUnlessPipe(path: string): Promise<string> {
  if ((await stat(path)).isFIFO()) {
    throw new Error("it is a named pipe; a regular file is needed");
  }
  return await readFile(path, "utf8");
}

/** @throws UsageError when it is not TOML of the expected shape */
export async function parseConfig(text: string, path: string): Promise<Profiles> {
  // Loaded only if there is a file.
  const { parse, TomlError } = await import("smol-toml");
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch (error) {
    // The library's message quotes nearby lines, which may contain a key.
    const where = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : "";
    throw new UsageError(`the configuration file ${path} is not valid TOML${where}.`);
  }
  const tables = document.profiles ?? {};
  if (!isTable(tables)) {
    throw new UsageError(`the configuration file ${path} must contain tables named [profiles.NAME].`);
  }
  const profiles = new Map(Object.entries(tables).map(([name, table]) => [name, checkedProfile(name, table, path)]));
  const defaultProfile = document.default_profile;
  return { profiles, defaultProfile: typeof defaultProfile === "string" ? defaultProfile : undefined };
}

function checkedProfile(name: string, table: unknown, path: string): Profile {
  if (!isTable(table)) {
    throw new UsageError(`profiles.${name} in ${path} must be a table: [profiles.${name}].`);
  }
  for (const [key, value] of Object.entries(table)) {
    if (!PROFILE_KEYS.some((known) => known === key)) {
      throw new UsageError(
        `profiles.${name} in ${path} has an unknown key ${JSON.stringify(key)}; the keys are ${PROFILE_KEYS.join(", ")}.`,
      );
    }
    if (typeof value !== "string") {
      throw new UsageError(`${key} of profiles.${name} in ${path} must be a string in quotes.`);
    }
  }
  return table as Profile;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Date);
}

/** What other users of the machine may do with the file. On Windows, both are false, because its file modes do not show it. */
export async function rightsOfOthers(
  path: string,
  { platform }: Pick<Environment, "platform">,
): Promise<{ read: boolean; write: boolean }> {
  const mode = platform === "win32" ? 0 : (await stat(path)).mode;
  return { read: (mode & 0o044) !== 0, write: (mode & 0o022) !== 0 };
}
