import { access, constants } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dangerOf } from "../../config/trusted-path.ts";
import { FileError } from "../../contract/errors.ts";
import { makeFolderPath } from "../../files/own-file.ts";
import type { Context } from "../context.ts";

/**
 * The folder that keeps the generated rows of `--demo` for the next command: below the cache folder or, if that is not
 * writable, a private one among the temporary files.
 *
 * @throws FileError if neither can be used
 */
export async function demoCache({ folders, userId }: Pick<Context, "folders" | "userId">): Promise<string> {
  const cached = folders.cache && join(folders.cache, "demo");
  if (cached !== undefined && (await makeWritable(cached))) {
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

async function makeWritable(folder: string): Promise<boolean> {
  try {
    await makeFolderPath(folder, 0o700);
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
