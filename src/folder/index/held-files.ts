import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { placeOfDay } from "../day-files.ts";
import type { SyncState } from "../folder-state.ts";
import { openDay } from "../synced-day.ts";

/** The file of a day as the state has it. It is kept open, so that `areInPlace` notices if a sync replaced it. */
interface HeldFile {
  path: string;
  inode: number;
  close(): Promise<void>;
}

/** Compares the files of days with their SHA-256 and keeps them open; undefined if a file belongs to a newer state. */
export async function holdFiles(
  folder: string,
  days: readonly string[],
  state: SyncState,
): Promise<HeldFile[] | undefined> {
  const root = await realpath(folder);
  const held: HeldFile[] = [];
  let isOfState = true;
  try {
    for (const day of days) {
      const path = join(root, placeOfDay(day));
      const inode = (await stat(path).catch(() => undefined))?.ino ?? 0;
      const file = await openDay(folder, day, state);
      if (file === undefined || file.content.sha256 !== state.days[day]?.sha256) {
        isOfState = false;
        await file?.close();
        break;
      }
      held.push({ path, inode, close: file.close });
    }
  } catch (error) {
    isOfState = false;
    throw error;
  } finally {
    if (!isOfState) {
      await Promise.all(held.map(({ close }) => close()));
    }
  }
  return isOfState ? held : undefined;
}

/** Whether paths still name the files that were opened. While one is open, no other file can have its inode. */
export async function areInPlace(files: readonly HeldFile[]): Promise<boolean> {
  const inodes = await Promise.all(files.map(async ({ path }) => (await stat(path).catch(() => undefined))?.ino));
  return files.every(({ inode }, index) => inodes[index] === inode);
}
