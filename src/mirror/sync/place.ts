import { join } from "node:path";
import type { Lock } from "../../files/lock.ts";
import { placeDay, removeDay } from "../folder/day-files.ts";
import { ownFolderOf } from "../folder/folder-lock.ts";
import { type DayState, type SyncState, writeState } from "../folder/folder-state.ts";

/** Where files are made before they are put into their places; it is emptied before and after each run. */
export function stagingOf(folder: string): string {
  return join(ownFolderOf(folder), "staging");
}

/** A day's new file in the making; without the ending of Parquet, so that no reader of the folder takes it for a part of the copy. */
export function stagedFile(folder: string, day: string): string {
  return join(stagingOf(folder), day);
}

/**
 * Puts staged files into their places, removes the files of other days, and says so in the state. Until all of it is
 * done, the state names the days as pending: a run that is interrupted here leaves whole days behind.
 */
export async function placeDays(
  folder: string,
  lock: Lock,
  state: SyncState,
  { replaced, removed }: { replaced: ReadonlyMap<string, DayState>; removed: readonly string[] },
): Promise<void> {
  const days = [...replaced.keys(), ...removed];
  if (days.length === 0) {
    return;
  }
  await lock.assertHeld();
  state.pending = [...new Set([...state.pending, ...days])];
  await writeState(folder, state);
  for (const [day, content] of replaced) {
    await placeDay(stagedFile(folder, day), folder, day);
    state.days[day] = content;
  }
  for (const day of removed) {
    await removeDay(folder, day);
    delete state.days[day];
  }
  state.pending = state.pending.filter((day) => !days.includes(day));
  await writeState(folder, state);
}
