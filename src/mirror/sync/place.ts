import { join } from "node:path";
import { moveIntoPlace } from "../../output/destination/partitions.ts";
import { placeOfDay, removeDay } from "../folder/day-files.ts";
import { type DayState, writeState } from "../folder/folder-state.ts";
import type { SyncRun } from "./sync-run.ts";

/** Path of a day's new file. It does not end in `.parquet`, so that readers do not take it for a part of the copy. */
export function stagedFile({ staging }: Pick<SyncRun, "staging">, day: string): string {
  return join(staging, day);
}

/**
 * Moves staged files into place, removes the files of other days, and updates the state. Until this is finished, the
 * state lists the days as pending, so the next run settles them after an interruption.
 */
export async function placeDays(
  run: SyncRun,
  { replaced, removed }: { replaced: ReadonlyMap<string, DayState>; removed: readonly string[] },
): Promise<void> {
  const { lock, state, options } = run;
  const days = [...replaced.keys(), ...removed];
  if (days.length === 0) {
    return;
  }
  state.pending = [...new Set([...state.pending, ...days])];
  await saveState(run);
  const files = new Map([...replaced.keys()].map((day) => [placeOfDay(day), stagedFile(run, day)]));
  await moveIntoPlace(options.folder, files, lock.assertHeld);
  for (const day of removed) {
    await lock.assertHeld();
    await removeDay(options.folder, day);
    delete state.days[day];
  }
  Object.assign(state.days, Object.fromEntries(replaced));
  state.pending = state.pending.filter((day) => !days.includes(day));
  await saveState(run);
}

/** Writes the state of the folder, unless another process has taken it. */
export async function saveState({ lock, state, options }: SyncRun): Promise<void> {
  await lock.assertHeld();
  await writeState(options.folder, state, lock.assertHeld);
}
