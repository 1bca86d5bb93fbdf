import { join } from "node:path";
import { FileError, SetChangedError } from "../contract/errors.ts";
import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import { splitRcd } from "../contract/filters.ts";
import { ownFileAt } from "../files/own-file.ts";
import { ownDayFilter, type SetFilters } from "../pull/set-filters.ts";
import { placeOfDay } from "./day-files.ts";
import { readStateOf, type SyncState, statePathOf } from "./folder-state.ts";
import { type OpenParquetFile, openUnaltered } from "./parquet-file.ts";

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

/** The days that have rows that the filters match, oldest first. */
export function matchingDays({ days }: Pick<SyncState, "days">, filters: SetFilters): string[] {
  const isWanted = rowFilter(filters);
  return Object.entries(days)
    .filter(([day, { counts }]) => Object.keys(counts).some((rcd) => isWanted(rcd, day)))
    .map(([day]) => day)
    .sort();
}

/** A test whether filters match the rows of a combination on a day. A combination is on many days, so each is split once. */
export function rowFilter(filters: SetFilters): (rcd: string, day: string) => boolean {
  const isWanted = combinationFilter(filters);
  const isInDates = dayFilter(filters);
  const isOwnDay = ownDayFilter(filters);
  /** The retailer of each combination that is wanted. */
  const retailers = new Map<string, string | undefined>();
  return (rcd, day) => {
    if (!retailers.has(rcd)) {
      const combination = splitRcd(rcd);
      retailers.set(rcd, isWanted(combination) ? combination.retailer : undefined);
    }
    const retailer = retailers.get(rcd);
    return retailer !== undefined && isInDates(day) && isOwnDay(retailer, day);
  };
}
