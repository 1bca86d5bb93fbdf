import { FileError, MismatchError, SetChangedError } from "../contract/errors.ts";
import { firstFew, plural } from "../contract/values/phrases.ts";
import { checkDay, readSyncedFolder } from "./synced-day.ts";

/** Maximum number of damaged days that an error names. */
const NAMED = 10;

/**
 * Compares the file of each day of a synced folder with the size and SHA-256 that the last sync wrote. Changes nothing.
 *
 * @param onDay called after each day with the number of days checked so far, and of all
 * @throws MismatchError naming the damaged days; the reason of `signal` when it is aborted
 */
export async function verifyFolder(
  folder: string,
  onDay: (checked: number, all: number) => void,
  signal: AbortSignal,
): Promise<{ days: number; rows: number; bytes: number }> {
  const state = await readSyncedFolder(folder);
  const days = Object.keys(state.days).sort();
  const damaged: string[] = [];
  const found = { days: 0, rows: 0, bytes: 0 };
  for (const [index, day] of days.entries()) {
    signal.throwIfAborted();
    try {
      const held = await checkDay(folder, day, state);
      if (held !== undefined) {
        found.days += 1;
        found.rows += held.rows;
        found.bytes += held.bytes;
      }
    } catch (error) {
      if (!(error instanceof FileError || error instanceof SetChangedError)) {
        throw error;
      }
      damaged.push(day);
    }
    onDay(index + 1, days.length);
  }
  if (damaged.length > 0) {
    throw new MismatchError(
      `${plural(damaged.length, "day")} of ${days.length} in ${folder} ${damaged.length === 1 ? "is" : "are"} damaged or missing: ${firstFew(damaged, NAMED)}; \`catalog sync --verify\` reads them again`,
    );
  }
  return found;
}
