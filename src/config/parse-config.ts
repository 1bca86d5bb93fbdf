import { parse, TomlError } from "smol-toml";
import { UsageError } from "../errors.ts";

const PROFILE_KEYS = ["base_url", "api_key", "api_key_command", "status_url"] as const;

/** One `[profiles.NAME]` table of the configuration file. */
export type Profile = Partial<Record<(typeof PROFILE_KEYS)[number], string>>;

export interface Profiles {
  profiles: ReadonlyMap<string, Profile>;
  /** `default_profile`: the profile that is used if none is requested. */
  defaultProfile: string | undefined;
}

/** @throws UsageError when it is not TOML of the expected shape */
export function parseConfig(text: string, path: string): Profiles {
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
