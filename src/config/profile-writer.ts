import { FileError, LockedError, UsageError } from "../contract/errors.ts";
import { lock } from "../files/lock.ts";
import { privateTarget, replacePrivateFile } from "../files/replace-file.ts";
import { configPath, DEFAULT_PROFILE, type Profile, readConfig, requestedProfile } from "./config-file.ts";
import type { Environment } from "./environment.ts";
import { setProfile } from "./toml-edit.ts";
import { rightsOfOthers } from "./trusted-path.ts";

/**
 * The profile that a command writes: the requested one, else the default one. Neither it nor its file need to exist yet.
 *
 * @throws FileError if the file cannot be read; UsageError if it is malformed
 */
export async function profileToWrite(
  flag: string | undefined,
  context: Pick<Environment, "env" | "folders">,
): Promise<{ name: string; values: Profile }> {
  const { profiles, defaultProfile } = await readConfig(context, { mayBeMissing: true });
  const name = requestedProfile(flag, context) ?? defaultProfile ?? DEFAULT_PROFILE;
  return { name, values: profiles.get(name) ?? {} };
}

/**
 * Replaces the profile `name` in the configuration file with the result of `change`. Keeps all other profiles, including
 * those that another process writes at the same time. Creates the file if necessary; only its owner can read it afterwards.
 *
 * @returns the path of the file; `madePrivate`: other users could read it before; `commentsLost`: it was written without comments
 * @throws FileError if it cannot be read or written; UsageError if it is malformed; LockedError if it stays locked
 */
export async function writeProfile(
  context: Pick<Environment, "env" | "folders" | "pid" | "platform" | "elapsed" | "sleep">,
  name: string,
  change: (profile: Profile) => Profile,
) {
  const path = configPath(context);
  if (path === undefined) {
    throw new UsageError("there is no home folder to store a profile in; set HOME, or CATALOG_CONFIG to a file.");
  }
  const written = async <T>(action: Promise<T>): Promise<T> => {
    try {
      return await action;
    } catch (error) {
      if (!(error instanceof FileError)) {
        throw error;
      }
      throw new FileError(
        `the configuration file ${path} cannot be written: ${error.message}; CATALOG_CONFIG can name another one`,
        path,
        error,
      );
    }
  };
  const target = await written(privateTarget(path));
  const fileLock = await written(lockPatiently(target, context));
  try {
    const { text, profiles } = await readConfig(context, { mayBeMissing: true });
    const madePrivate = text !== "" && (await rightsOfOthers(path, context)).read;
    const edited = setProfile(text, name, { ...change(profiles.get(name) ?? {}) });
    await written(replacePrivateFile(target, edited.text, context.pid));
    return { path, madePrivate, commentsLost: edited.commentsLost };
  } finally {
    await fileLock.release();
  }
}

/** Milliseconds to wait for the lock. A change of the file takes a few. */
const PATIENCE = 10_000;

async function lockPatiently(path: string, { pid, elapsed, sleep }: Pick<Environment, "pid" | "elapsed" | "sleep">) {
  const begun = elapsed();
  for (;;) {
    try {
      return await lock(path, `${path}.lock`, pid);
    } catch (error) {
      if (!(error instanceof LockedError) || elapsed() - begun > PATIENCE) {
        throw error;
      }
      await sleep(20);
    }
  }
}
