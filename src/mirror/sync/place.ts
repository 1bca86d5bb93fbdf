import { join } from "node:path";
import { placeDay, removeDay } from "../folder/day-files.ts";
import { ownFolderOf } from "../folder/folder-lock.ts";
import { type DayState, writeState } from "../folder/folder-state.ts";
import type { SyncRun } from "./sync-run.ts";

/** The folder for new files before they replace the old ones. It is emptied before and after each run. */
export function stagingOf(folder: string): string {
  return join(ownFolderOf(folder), "staging");
}

/** Path of a day's new file. It does not end in `.parquet`, so that readers do not take it for a part of the copy. */
export function stagedFile(folder: string, day: string): string {
  return join(stagingOf(folder), day);
}

/**
 * Moves staged files into place, removes the files of other days, and updates the state. Until this is finished, the
 * state lists the days as pending, so the next run reads them again after an interruption.
 */
export async function placeDays(
  { lock, state, options: { folder } }: SyncRun,
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
