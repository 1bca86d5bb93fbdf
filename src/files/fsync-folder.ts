import { open } from "node:fs/promises";
import { errorCode } from "./system-error.ts";

/** Makes the new name itself survive a loss of power; file systems that cannot say so. */
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
