import { access, constants } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dangerOf } from "../../config/trusted-path.ts";
import { FileError } from "../../contract/errors.ts";
import { makeFolderPath } from "../../files/own-file.ts";
import type { Context } from "../context.ts";

/**
 * The folder where the generated rows of `--demo` are kept for the next command. Without a cache folder that can be
 * written, it is one among the temporary files, for this user alone.
 *
 * @throws FileError if neither can be used
 */
export async function demoCache({ folders, userId }: Pick<Context, "folders" | "userId">): Promise<string> {
  const cached = folders.cache && join(folders.cache, "demo");
  if (cached !== undefined && (await isWritable(cached))) {
    return cached;
  }
  const temporary = join(tmpdir(), `catalog-demo-${userId ?? "user"}`);
  await makeFolderPath(temporary, 0o700);
  if ((await dangerOf(temporary, userId)) !== undefined) {
    throw new FileError(
      `${temporary} could be changed by other users; set XDG_CACHE_HOME to a folder of your own`,
      temporary,
    );
  }
  return temporary;
}

/** Whether files can be written to a folder, which is created if it does not exist. */
async function isWritable(folder: string): Promise<boolean> {
  try {
    await makeFolderPath(folder, 0o700);
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
