import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileError, UsageError } from "../contract/errors.ts";
import { quoted } from "../contract/values/phrases.ts";
import { fileError } from "../files/system-error.ts";
import type { Environment } from "./environment.ts";
import { refuseTilde } from "./expanded-path.ts";

const PROFILE_KEYS = ["base_url", "api_key", "api_key_command", "status_url"] as const;

/** One `[profiles.NAME]` table of the configuration file. */
export type Profile = Partial<Record<(typeof PROFILE_KEYS)[number], string>>;

export interface Profiles {
  profiles: ReadonlyMap<string, Profile>;
  /** `default_profile`: the profile to use if none is requested. */
  defaultProfile: string | undefined;
}

interface ConfigFile extends Profiles {
  path: string | undefined;
  /** Empty if the file is missing. */
  text: string;
}

/** The profile that `--profile` or the environment requests. @throws UsageError for an empty flag */
export function requestedProfile(flag: string | undefined, { env }: Pick<Environment, "env">): string | undefined {
  if (flag === "") {
    throw new UsageError("--profile is empty; name a profile, or leave the flag out.", { flag: "--profile" });
  }
  return flag ?? (env.CATALOG_PROFILE || undefined);
}

/** The profile to use if none is requested or configured. */
export const DEFAULT_PROFILE = "default";

/**
 * The path of the configuration file: `CATALOG_CONFIG`, or `config.toml` in the platform's configuration folder; undefined
 * without either.
 */
export function configPath({ env, folders }: Pick<Environment, "env" | "folders">): string | undefined {
  return env.CATALOG_CONFIG || (folders.config && join(folders.config, "config.toml"));
}

/**
 * Reads the configuration file.
 *
 * @param mayBeMissing whether a missing file stands for no profiles; by default, unless `CATALOG_CONFIG` names it
 * @throws FileError if it cannot be read; UsageError if it is not TOML of the expected shape
 */
export async function readConfig(
  context: Pick<Environment, "env" | "folders">,
  { mayBeMissing = !context.env.CATALOG_CONFIG } = {},
): Promise<ConfigFile> {
  const path = configPath(context);
  const none = { path, text: "", profiles: new Map<string, Profile>(), defaultProfile: undefined };
  if (path === undefined) {
    return none;
  }
  refuseTilde(path, "CATALOG_CONFIG");
  const text = await readUnlessPipe(path).catch((error: NodeJS.ErrnoException) => {
    if (mayBeMissing && error.code === "ENOENT") {
      return undefined;
    }
    throw new FileError(`the configuration file cannot be read: ${fileError(path, error).message}`, path, error);
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

/** @throws UsageError if the text is not TOML of the expected shape */
export async function parseConfig(text: string, path: string): Promise<Profiles> {
  // Imported on demand, because most commands run without a file.
  const { parse, TomlError } = await import("smol-toml");
  let document: Record<string, unknown>;
  try {
    document = parse(text);
  } catch (error) {
    // The library's message quotes nearby lines, which may contain a key.
    const where = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : "";
    throw new UsageError(`the configuration file ${path} is not valid TOML${where}.`);
  }
  const { profiles: tables = {}, default_profile: defaultProfile, ...others } = document;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new UsageError(
      `the configuration file ${path} has an unknown key ${quoted(unknown)}; it may have default_profile, and ${PROFILE_KEYS.join(", ")} below [profiles.NAME].`,
    );
  }
  if (defaultProfile !== undefined && typeof defaultProfile !== "string") {
    throw new UsageError(`default_profile in ${path} must be a string in quotes.`);
  }
  if (!isTable(tables)) {
    throw new UsageError(`the configuration file ${path} must contain tables named [profiles.NAME].`);
  }
  const profiles = new Map(Object.entries(tables).map(([name, table]) => [name, checkedProfile(name, table, path)]));
  return { profiles, defaultProfile };
}

function checkedProfile(name: string, table: unknown, path: string): Profile {
  if (!isTable(table)) {
    throw new UsageError(`profiles.${name} in ${path} must be a table: [profiles.${name}].`);
  }
  for (const [key, value] of Object.entries(table)) {
    if (!PROFILE_KEYS.some((known) => known === key)) {
      throw new UsageError(
        `profiles.${name} in ${path} has an unknown key ${quoted(key)}; the keys are ${PROFILE_KEYS.join(", ")}.`,
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
