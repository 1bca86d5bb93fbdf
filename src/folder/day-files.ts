import { readdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FileError } from "../contract/errors.ts";
import { isCalendarDate } from "../contract/filters.ts";
import { PRODUCT_COLUMNS } from "../contract/product.ts";
import { fingerprint } from "../files/fingerprint.ts";
import { fsyncFolder } from "../files/fsync.ts";
import { assertOwnFolder, ownFileAt, removeOwnFile } from "../files/own-file.ts";
import { ifPresent, withFileError } from "../files/system-error.ts";
import { readStateOf, type SyncState, syncCommand } from "./folder-state.ts";

/** The name of a day's folder, up to the day. */
export const DAY_PREFIX = "crawl_date=";
const FILE = "part-0.parquet";

/** The columns of a day's file. The day itself is in the name of its folder; earlier versions wrote it into the file, too. */
export const DAY_FILE = { known: PRODUCT_COLUMNS, partitionedBy: ["crawl_date"] };

/** Path of a day's file below the folder. One file has all rows, so that a day changes in one step. */
export function placeOfDay(day: string): string {
  return join(`${DAY_PREFIX}${day}`, FILE);
}

/** The content of the day folders of a synced folder. */
export interface DayFolders {
  /** Days that have a file with sync's name, whoever wrote it. */
  days: string[];
  /** All other files, as paths below the folder. Sync neither reads nor removes them. */
  unexpectedFiles: string[];
}

/**
 * Lists the day folders of a folder; none if the folder is missing.
 *
 * @throws FileError if a day folder or its file is a link
 */
export async function listDayFolders(folder: string): Promise<DayFolders> {
  const found: DayFolders = { days: [], unexpectedFiles: [] };
  for (const name of (await namesIn(folder)).filter((name) => name.startsWith(DAY_PREFIX))) {
    const day = name.slice(DAY_PREFIX.length);
    if (!isCalendarDate(day)) {
      found.unexpectedFiles.push(name);
      continue;
    }
    await assertOwnFolder(join(folder, name));
    for (const inner of await namesIn(join(folder, name))) {
      if (inner !== FILE) {
        found.unexpectedFiles.push(join(name, inner));
      } else if ((await ownFileAt(join(folder, name, FILE))) !== undefined) {
        found.days.push(day);
      }
    }
  }
  return found;
}

/** Skips names that begin with a dot, like other readers of such folders. */
async function namesIn(folder: string): Promise<string[]> {
  const names = (await ifPresent(folder, () => readdir(folder))) ?? [];
  return names.filter((name) => !name.startsWith(".")).sort();
}

/**
 * The days whose file may not hold what the state says, because the file was altered or a run was interrupted while it
 * replaced it. A day that such a run had not replaced yet is not one of them.
 *
 * @param thorough compares the content of all files, not only the size.
 * @param isInWindow whether the filters want a day. Other days are checked only if `thorough`, or if a run was about to
 * replace them.
 */
export async function untrustedDays(
  folder: string,
  { days, pending }: SyncState,
  thorough: boolean,
  isInWindow: (day: string) => boolean,
): Promise<Set<string>> {
  const unknown = new Set<string>();
  for (const day of new Set([...Object.keys(days).filter((day) => thorough || isInWindow(day)), ...pending])) {
    const path = join(folder, placeOfDay(day));
    const stored = days[day];
    const isPending = pending.includes(day);
    const isAsStored =
      (await ownFileAt(path))?.size === stored?.bytes &&
      // The rows of an adopted day are not known.
      !(isPending && stored?.digest === "") &&
      (stored === undefined || !(thorough || isPending) || (await fingerprint(path)).sha256 === stored.sha256);
    if (!isAsStored) {
      unknown.add(day);
    }
  }
  return unknown;
}

/**
 * The days whose file may no longer be the one that `state` describes, because a sync is replacing it or was interrupted while
 * it did. Days that were replaced completely since are left out.
 *
 * @throws FileError naming a file that is missing or has another size for any other reason
 */
export async function daysBeingReplaced(folder: string, state: SyncState, days: readonly string[]): Promise<string[]> {
  const files = await Promise.all(days.map((day) => ownFileAt(join(folder, placeOfDay(day)))));
  const changed = days.filter((day, index) => files[index]?.size !== state.days[day]?.bytes);
  const now = changed.length === 0 ? state : ((await readStateOf(folder)) ?? state);
  const isOfState = (day: string) => now.days[day]?.sha256 === state.days[day]?.sha256;
  const damaged = changed.find((day) => isOfState(day) && !now.pending.includes(day));
  if (damaged !== undefined) {
    const path = join(folder, placeOfDay(damaged));
    throw new FileError(
      `${path} was changed or damaged since the last sync; \`${syncCommand(folder, "--verify")}\` repairs it`,
      path,
    );
  }
  return changed.filter((day) => now.pending.includes(day));
}

/** Removes a day's file, and its folder if it is then empty. */
export async function removeDay(folder: string, day: string): Promise<void> {
  const path = join(folder, placeOfDay(day));
  await assertOwnFolder(dirname(path));
  await removeOwnFile(path);
  const isFolderGone = await rmdir(dirname(path)).then(
    () => true,
    () => false,
  );
  const changed = isFolderGone ? folder : dirname(path);
  await withFileError(changed, () => ifPresent(changed, () => fsyncFolder(changed)));
}
