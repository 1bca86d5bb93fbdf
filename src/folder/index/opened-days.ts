import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { placeOfDay } from "../day-files.ts";
import type { SyncState } from "../folder-state.ts";
import { openDay } from "../synced-day.ts";

/** A day whose file matches the state and is kept open, so that `areInPlace` can detect that a sync replaced it. */
interface OpenedDay {
  path: string;
  inode: number;
  close(): Promise<void>;
}

/** Opens the files of days and compares each with its SHA-256; undefined if a file belongs to a newer state. */
export async function openDays(
  folder: string,
  days: readonly string[],
  state: SyncState,
): Promise<OpenedDay[] | undefined> {
  const root = await realpath(folder);
  const opened: OpenedDay[] = [];
  let isOfState = true;
  try {
    for (const day of days) {
      const path = join(root, placeOfDay(day));
      const before = (await stat(path).catch(() => undefined))?.ino ?? 0;
      const file = await openDay(folder, day, state);
      if (file === undefined || file.sha256 !== state.days[day]?.sha256) {
        isOfState = false;
        await file?.close();
        break;
      }
      opened.push({ path, inode: before, close: file.close });
    }
  } catch (error) {
    isOfState = false;
    throw error;
  } finally {
    if (!isOfState) {
      await Promise.all(opened.map(({ close }) => close()));
    }
  }
  return isOfState ? opened : undefined;
}

/** Whether paths still name the files that were opened. While one is open, no other file can have its inode. */
export async function areInPlace(files: readonly OpenedDay[]): Promise<boolean> {
  const inodes = await Promise.all(files.map(async ({ path }) => (await stat(path).catch(() => undefined))?.ino));
  return files.every(({ inode }, index) => inodes[index] === inode);
}
