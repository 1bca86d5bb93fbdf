import type { Context } from "../context.ts";
import { FileError } from "../errors.ts";
import { replacePrivateFile } from "../files/replace-file.ts";
import { askedProfile, DEFAULT_PROFILE, readConfig, rightsOfOthers } from "./config-file.ts";
import type { Profile } from "./parse-config.ts";
import { setProfile } from "./toml-edit.ts";

/**
 * The profile that a command writes: the requested one, else the default one. It and its file may not exist yet.
 *
 * @throws FileError if the file cannot be read; UsageError if it is malformed
 */
export async function profileToWrite(
  flag: string | undefined,
  context: Pick<Context, "env" | "folders">,
): Promise<{ name: string; values: Profile }> {
  const { profiles, defaultProfile } = await readConfig(context, { mayBeMissing: true });
  const name = askedProfile(flag, context) ?? defaultProfile ?? DEFAULT_PROFILE;
  return { name, values: profiles.get(name) ?? {} };
}

/**
 * Replaces the profile `name` in the configuration file with the result of `change`; the other profiles stay. The
 * file is created if it does not exist. Afterwards only its owner can read it.
 *
 * @returns `madePrivate` if other users could read the file before, `commentsLost` if its comments could not be kept
 * @throws FileError if it cannot be read or written; UsageError if it is malformed
 */
export async function writeProfile(
  context: Pick<Context, "env" | "folders" | "pid">,
  name: string,
  change: (profile: Profile) => Profile,
) {
  const { path, text, profiles } = await readConfig(context, { mayBeMissing: true });
  const madePrivate = text !== undefined && (await rightsOfOthers(path)).read;
  const edited = setProfile(text ?? "", name, { ...change(profiles.get(name) ?? {}) });
  try {
    await replacePrivateFile(path, edited.text, context.pid);
  } catch (error) {
    throw new FileError(`the configuration file ${path} cannot be written: ${(error as Error).message}`, path, error);
  }
  return { path, madePrivate, commentsLost: edited.commentsLost };
}
