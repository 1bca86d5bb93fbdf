import { constants } from "node:fs";
import { join } from "node:path";
import { parseJsonObject } from "../contract/values/json-object.ts";
import { openOwnFile, readOwnFile } from "../files/own-file.ts";
import { withFileError } from "../files/system-error.ts";
import { ownFolderOf } from "./folder-lock.ts";
import { isSyncedFolder } from "./folder-state.ts";

/** Maximum size of the log in bytes, enough for 300,000 runs. */
const MAX_BYTES = 64 * 1024 ** 2;

/** A run of `catalog sync`. The counts of changes are null if it failed. */
export interface SyncLogEntry {
  started_at: string;
  seconds: number;
  rows_added: number | null;
  rows_replaced: number | null;
  rows_removed: number | null;
  days_changed: number | null;
  requests: number;
  /** `done`, or the code of an error. */
  outcome: string;
}

export const SYNC_LOG_COLUMNS = [
  "started_at",
  "seconds",
  "rows_added",
  "rows_replaced",
  "rows_removed",
  "days_changed",
  "requests",
  "outcome",
] as const satisfies readonly (keyof SyncLogEntry)[];

function logOf(folder: string): string {
  return join(ownFolderOf(folder), "log.ndjson");
}

/** Adds a run to the log of a folder, if it is a synced one. */
export async function logSync(folder: string, entry: SyncLogEntry): Promise<void> {
  if (!(await isSyncedFolder(folder))) {
    return;
  }
  const path = logOf(folder);
  const file = await openOwnFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  try {
    await withFileError(path, async () => {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
      const isCut = size > 0 && buffer.toString() !== "\n";
      await file.writeFile(`${isCut ? "\n" : ""}${JSON.stringify(entry)}\n`);
    });
  } finally {
    await file.close();
  }
}

/** The runs of a synced folder, the oldest first. Lines that are damaged or do not describe a run are left out. */
export async function readSyncLog(folder: string): Promise<SyncLogEntry[]> {
  const text = (await readOwnFile(logOf(folder), MAX_BYTES)) ?? "";
  return text.split("\n").flatMap((line) => {
    const entry = parseJsonObject(line);
    return typeof entry?.started_at === "string" && typeof entry.outcome === "string"
      ? [entry as unknown as SyncLogEntry]
      : [];
  });
}
