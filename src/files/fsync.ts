import { type FileHandle, open } from "node:fs/promises";
import { errorCode } from "./system-error.ts";

/** Error codes of file systems without fsync, such as some network drives. */
const UNSUPPORTED: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The same for folders, which must be opened first: one that may not be listed cannot be, nor can any on Windows. */
const UNSUPPORTED_OF_FOLDERS = new Set([...UNSUPPORTED, "EACCES", "EPERM", "EISDIR"]);

let refused = 0;

/** How often a file system has refused an fsync of this process. */
export function refusedFsyncs(): number {
  return refused;
}

/** Makes the content of a file survive a loss of power, if the file system supports it. */
export async function fsyncFile(handle: FileHandle): Promise<void> {
  await unlessUnsupported(handle.sync());
}

/** Like `fsyncFile`, but without times and permissions. @returns whether the file system supports it */
export async function fsyncContent(handle: FileHandle): Promise<boolean> {
  return await unlessUnsupported(handle.datasync());
}

/** Makes created and renamed files in a folder survive a power failure, if the system supports it. */
export async function fsyncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED_OF_FOLDERS.has(errorCode(error))) {
      throw error;
    }
  } finally {
    await handle?.close();
  }
}

async function unlessUnsupported(syncing: Promise<void>): Promise<boolean> {
  try {
    await syncing;
    return true;
  } catch (error) {
    if (!UNSUPPORTED.has(errorCode(error))) {
      throw error;
    }
    refused += 1;
    return false;
  }
}
