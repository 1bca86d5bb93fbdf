import { join } from "node:path";
import { FileError, SetChangedError } from "../contract/errors.ts";
import { type Fingerprint, fingerprint } from "../files/fingerprint.ts";
import { openOwnFile, ownFileAt } from "../files/own-file.ts";
import { ifPresent } from "../files/system-error.ts";
import { placeOfDay } from "./day-files.ts";
import type { DayState } from "./day-state.ts";
import { readSyncedFolder, type SyncState, syncCommand } from "./folder-state.ts";

/** Whether a file has this content. @throws FileError if it is no regular file, or cannot be read */
export async function hasContent(path: string, { bytes, sha256 }: Fingerprint): Promise<boolean> {
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
 * @param state of the folder, which may be older than the file; the state is then read again
 * @returns what the file has, by the newest state of the folder; undefined if the folder has no such day
 * @throws FileError if the file is missing or was altered
 * @throws SetChangedError if a sync is about to replace it, or was interrupted
 */
export async function checkDay(folder: string, day: string, state: SyncState): Promise<DayState | undefined> {
  const path = join(folder, placeOfDay(day));
  for (let known = state; ; ) {
    const stored = known.days[day];
    if (stored !== undefined && (await hasContent(path, stored))) {
      return stored;
    }
    known = await readSyncedFolder(folder);
    if (known.days[day]?.sha256 !== stored?.sha256) {
      // A sync has replaced the file since the state was read.
      continue;
    }
    if (known.pending.includes(day)) {
      throw new SetChangedError(
        `a sync of ${folder} is replacing ${day}, or was interrupted; if no sync is running, run \`${syncCommand(folder)}\` first`,
      );
    }
    if (stored === undefined) {
      return undefined;
    }
    const reason = (await ownFileAt(path)) === undefined ? "is missing" : "was changed or damaged since the last sync";
    throw new FileError(`${path} ${reason}; \`${syncCommand(folder, "--verify")}\` repairs it`, path);
  }
}
