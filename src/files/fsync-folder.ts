import { open } from "node:fs/promises";
import { errorCode } from "./system-error.ts";

/** Makes a new name in the folder survive a loss of power, if the file system supports it. */
export async function fsyncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    if (errorCode(error) !== "EINVAL") {
      throw error;
    }
  } finally {
    await handle.close();
  }
}
