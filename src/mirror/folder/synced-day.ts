import { join } from "node:path";
import { type Rcd, splitRcd } from "../../contract/filters.ts";
import { FileError, SetChangedError } from "../../errors.ts";
import { ownFileAt } from "../../files/own-file.ts";
import { placeOfDay } from "./day-files.ts";
import { type DayState, readStateOf, type SyncState, statePathOf } from "./folder-state.ts";
import { type OpenParquetFile, openUnaltered } from "./parquet-file.ts";

/** A combination and its rows on a day. */
export interface CombinationRows extends Rcd {
  rows: number;
}

/**
 * The state of a synced folder.
 *
 * @throws FileError if it is not a synced folder, or its state cannot be read
 */
export async function readSyncedFolder(folder: string): Promise<SyncState> {
  const state = await readStateOf(folder);
  if (state === undefined) {
    throw new FileError(
      `${folder} was not written by \`catalog sync\`: there is no ${statePathOf(folder)}`,
      statePathOf(folder),
    );
  }
  return state;
}

/**
 * Opens a day and compares the size and SHA-256 of its file with the folder's state. The file stays open, so a sync that
 * replaces it does not change what is read.
 *
 * @param state of the folder, which may be older than the file; then it is read again
 * @returns undefined if the folder has no such day
 * @throws FileError if the file is missing or was altered
 * @throws SetChangedError if a sync is about to replace it, or was interrupted
 */
export async function openDay(folder: string, day: string, state: SyncState): Promise<OpenParquetFile | undefined> {
  const path = join(folder, placeOfDay(day));
  for (let known = state; ; ) {
    const held = known.days[day];
    const file = held && (await openUnaltered(path, held));
    if (file !== undefined) {
      return file;
    }
    known = await readSyncedFolder(folder);
    if (known.days[day]?.sha256 !== held?.sha256) {
      // A sync has replaced the file since the state was read.
      continue;
    }
    if (known.pending.includes(day)) {
      throw new SetChangedError(
        `a sync of ${folder} is replacing ${day}, or was interrupted; if no sync is running, run \`catalog sync\` first`,
      );
    }
    if (held === undefined) {
      return undefined;
    }
    const reason = (await ownFileAt(path)) === undefined ? "is missing" : "was changed or damaged since the last sync";
    throw new FileError(`${path} ${reason}; \`catalog sync --verify\` repairs it`, path);
  }
}

/** The combinations of a day, from its state. */
export function combinationsOf({ counts }: Pick<DayState, "counts">): CombinationRows[] {
  return Object.entries(counts).map(([rcd, rows]) => ({ ...splitRcd(rcd), rows }));
}

/** The days that have rows of a wanted combination, oldest first. */
export function matchingDays({ days }: SyncState, isWanted: (combination: Rcd) => boolean): string[] {
  const isWantedRcd = rcdTest(isWanted);
  return Object.entries(days)
    .filter(([, { counts }]) => Object.keys(counts).some(isWantedRcd))
    .map(([day]) => day)
    .sort();
}

/** The same test of combinations as texts. A combination is on many days, so each is looked at once. */
export function rcdTest(isWanted: (combination: Rcd) => boolean): (rcd: string) => boolean {
  const known = new Map<string, boolean>();
  return (rcd) => {
    const wanted = known.get(rcd) ?? isWanted(splitRcd(rcd));
    known.set(rcd, wanted);
    return wanted;
  };
}
