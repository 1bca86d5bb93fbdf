import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { FileError } from "../errors.ts";
import type { Profiles } from "./parse-config.ts";

interface ConfigFile extends Profiles {
  path: string;
  /** Undefined if the file is missing. */
  text: string | undefined;
}

/** The profile requested by `--profile` or the environment; undefined if neither names one. */
export function askedProfile(flag: string | undefined, { env }: Pick<Context, "env">): string | undefined {
  return flag ?? (env.CATALOG_PROFILE || undefined);
}

/** Name of the profile that is used if no other is requested or configured. */
export const DEFAULT_PROFILE = "default";

/** Path of the configuration file: `CATALOG_CONFIG`, or `config.toml` in the platform's configuration folder. */
export function configPath(context: Pick<Context, "env" | "folders">): string {
  return context.env.CATALOG_CONFIG || join(context.folders.config, "config.toml");
}

/**
 * Reads the configuration file. If it is missing and may be missing, there are no profiles.
 *
 * @param mayBeMissing default: whether `CATALOG_CONFIG` is not set
 * @throws FileError when it cannot be read; UsageError when it is not TOML of the expected shape
 */
export async function readConfig(
  context: Pick<Context, "env" | "folders">,
  { mayBeMissing = !context.env.CATALOG_CONFIG } = {},
): Promise<ConfigFile> {
  const path = configPath(context);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (mayBeMissing && error.code === "ENOENT") {
      return undefined;
    }
    throw new FileError(`the configuration file ${path} cannot be read: ${error.message}`, path, error);
  });
  if (text === undefined) {
    return { path, text, profiles: new Map(), defaultProfile: undefined };
  }
  const { parseConfig } = await import("./parse-config.ts");
  return { path, text, ...parseConfig(text, path) };
}

/** What other users of the machine may do with the file. On Windows, both are false, because its file modes do not show it. */
export async function rightsOfOthers(
  path: string,
  { platform }: Pick<Context, "platform">,
): Promise<{ read: boolean; write: boolean }> {
  const mode = platform === "win32" ? 0 : (await stat(path)).mode;
  return { read: (mode & 0o044) !== 0, write: (mode & 0o022) !== 0 };
}
