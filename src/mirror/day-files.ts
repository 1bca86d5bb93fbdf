import { readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isCalendarDate } from "../contract/filters.ts";
import { fingerprint } from "../export/manifest.ts";
import { fsyncFolder } from "../files/fsync-folder.ts";
import { sizeOf } from "../files/size-of.ts";
import { fileError } from "../files/system-error.ts";
import type { SyncState } from "./folder-state.ts";

const PREFIX = "crawl_date=";

/** Where a day's rows are, below the folder. All of them are in one file, so that a day changes at one instant. */
export function placeOfDay(day: string): string {
  return join(`${PREFIX}${day}`, "part-0.parquet");
}

/** The days that have a file, whether the state knows of it or not. */
export async function daysOnDisk(folder: string): Promise<string[]> {
  const days = (await readdir(folder))
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
    .filter(isCalendarDate);
  const sizes = await Promise.all(days.map((day) => sizeOf(join(folder, placeOfDay(day)))));
  return days.filter((_, index) => sizes[index] !== undefined);
}

/**
 * The days whose file is not what the state says.
 *
 * @param thorough compares the content, not only the size
 */
export async function damagedDays(folder: string, state: SyncState, thorough: boolean): Promise<string[]> {
  const damaged: string[] = [];
  for (const [day, { bytes, sha256 }] of Object.entries(state.days)) {
    const path = join(folder, placeOfDay(day));
    const isWhole = (await sizeOf(path)) === bytes && (!thorough || (await fingerprint(path)).sha256 === sha256);
    if (!isWhole) {
      damaged.push(day);
    }
  }
  return damaged;
}

export async function removeDay(folder: string, day: string): Promise<void> {
  const path = join(folder, placeOfDay(day));
  try {
    await rm(path, { force: true });
    // Something that is not ours may be there.
    await rmdir(dirname(path)).catch(() => undefined);
    await fsyncFolder(folder);
  } catch (error) {
    throw fileError(path, error);
  }
}
