import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { SetChangedError } from "../../contract/errors.ts";
import { checkDay } from "../check-day.ts";
import { placeOfDay } from "../day-files.ts";
import type { SyncState } from "../folder-state.ts";

/** The file of a day as the state has it. */
interface CheckedFile {
  path: string;
  identity: string;
}

/** Maximum number of files that are read at the same time. */
const AT_ONCE = 8;

/**
 * Compares the files of days with their SHA-256; undefined if a file belongs to a newer state.
 *
 * @throws FileError if a file is missing or was altered
 * @throws SetChangedError if a sync is about to replace one
 */
export async function checkFiles(
  { folder, state, signal }: { folder: string; state: SyncState; signal: AbortSignal },
  days: readonly string[],
): Promise<CheckedFile[] | undefined> {
  const root = await realpath(folder);
  const files: CheckedFile[] = [];
  for (let first = 0; first < days.length; first += AT_ONCE) {
    signal.throwIfAborted();
    const some = days.slice(first, first + AT_ONCE).map(async (day) => {
      const path = join(root, placeOfDay(day));
      // Before it is read: if another file takes its place from now on, `areInPlace` notices.
      const identity = await identityOf(path);
      const content = await checkDay(folder, day, state);
      return content?.sha256 === state.days[day]?.sha256 ? [{ path, identity }] : [];
    });
    files.push(...(await Promise.all(some)).flat());
  }
  return files.length === days.length ? files : undefined;
}

/** Whether paths still name the files that were checked, unchanged. */
export async function areInPlace(files: readonly CheckedFile[]): Promise<boolean> {
  const identities = await Promise.all(files.map(({ path }) => identityOf(path)));
  return files.every(({ identity }, index) => identities[index] === identity);
}

export function replacedError(folder: string): SetChangedError {
  return new SetChangedError(`a sync of ${folder} has replaced days meanwhile; ask again`);
}

/** What tells a file from one that is renamed into its place: a new file may get the inode of one that was removed. */
async function identityOf(path: string): Promise<string> {
  const entry = await stat(path, { bigint: true }).catch(() => undefined);
  return entry === undefined ? "" : [entry.dev, entry.ino, entry.size, entry.mtimeNs].join(" ");
}
