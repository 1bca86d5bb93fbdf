import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FileError, SetChangedError } from "../contract/errors.ts";
import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import { splitRcd } from "../contract/filters.ts";
import { closest } from "../contract/values/closest.ts";
import { operand, quoteCommand } from "../contract/values/quote-command.ts";
import { type Fingerprint, fingerprint } from "../files/fingerprint.ts";
import { openOwnFile, ownFileAt } from "../files/own-file.ts";
import { ifPresent } from "../files/system-error.ts";
import { ownDayFilter, type SetFilters } from "../pull/set-filters.ts";
import { placeOfDay } from "./day-files.ts";
import type { DayState } from "./day-state.ts";
import { storeIn } from "./folder-lock.ts";
import { readStateOf, type SyncState, statePathOf, syncCommand, syncedFoldersBelow } from "./folder-state.ts";

/**
 * The state of a synced folder.
 *
 * @throws FileError if it is not a synced folder, or its state cannot be read
 */
export async function readSyncedFolder(folder: string): Promise<SyncState> {
  const state = await readStateOf(folder);
  if (state === undefined) {
    const sync = syncCommand(folder);
    const entry = await stat(folder).catch(() => undefined);
    if (entry === undefined) {
      const near = closest(basename(folder), await syncedFoldersBelow(dirname(folder)));
      const names = near.map((name) => quoteCommand([operand(join(dirname(folder), name))]));
      const hint = names.length === 0 ? `\`${sync}\` creates one` : `did you mean ${names.join(", ")}?`;
      throw new FileError(`there is no folder ${folder}; ${hint}`, folder);
    }
    if (entry.isDirectory() && (await ownFileAt(storeIn(folder, "sync").lines)) !== undefined) {
      throw new FileError(
        `${folder} has no days yet: its first sync was interrupted or is still running; \`${sync}\` continues it`,
        folder,
      );
    }
    throw new FileError(
      `${folder} was not written by \`catalog sync\`: there is no ${statePathOf(folder)}`,
      statePathOf(folder),
    );
  }
  return state;
}

/** Whether a file has this content. @throws FileError if it is no regular file, or cannot be read */
export async function isUnalteredFile(path: string, { bytes, sha256 }: Fingerprint): Promise<boolean> {
  const opened = await ifPresent(path, () => openOwnFile(path));
  try {
    const found = opened && (await fingerprint(path, { opened }));
    return found?.bytes === bytes && found.sha256 === sha256;
  } finally {
    await opened?.close();
  }
}

/**
 * Compares the size and SHA-256 of a day's file with the folder's state.
 *
 * @param state of the folder, which may be older than the file; then it is read again
 * @returns what the file has, by the newest state of the folder; undefined if the folder has no such day
 * @throws FileError if the file is missing or was altered
 * @throws SetChangedError if a sync is about to replace it, or was interrupted
 */
export async function checkDay(folder: string, day: string, state: SyncState): Promise<DayState | undefined> {
  const path = join(folder, placeOfDay(day));
  for (let known = state; ; ) {
    const held = known.days[day];
    if (held !== undefined && (await isUnalteredFile(path, held))) {
      return held;
    }
    known = await readSyncedFolder(folder);
    if (known.days[day]?.sha256 !== held?.sha256) {
      // A sync has replaced the file since the state was read.
      continue;
    }
    if (known.pending.includes(day)) {
      throw new SetChangedError(
        `a sync of ${folder} is replacing ${day}, or was interrupted; if no sync is running, run \`${syncCommand(folder)}\` first`,
      );
    }
    if (held === undefined) {
      return undefined;
    }
    const reason = (await ownFileAt(path)) === undefined ? "is missing" : "was changed or damaged since the last sync";
    throw new FileError(`${path} ${reason}; \`${syncCommand(folder, "--verify")}\` repairs it`, path);
  }
}

/** The days that have rows that the filters match, oldest first. */
export function matchingDays({ days }: Pick<SyncState, "days">, filters: SetFilters): string[] {
  const isWanted = rowFilter(filters);
  return Object.entries(days)
    .filter(([day, { counts }]) => hasAny(counts.keys(), (rcd) => isWanted(rcd, day)))
    .map(([day]) => day)
    .sort();
}

function hasAny<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): boolean {
  for (const item of items) {
    if (isWanted(item)) {
      return true;
    }
  }
  return false;
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
