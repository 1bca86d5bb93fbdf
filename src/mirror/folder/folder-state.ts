import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Filters, isCalendarDate } from "../../contract/filters.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../contract/values/json-object.ts";
import { FileError } from "../../errors.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { errorCode, fileError } from "../../files/system-error.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import { ownFolderOf } from "./folder-lock.ts";

/** Bumped on incompatible changes. */
const STATE_VERSION = 2;

/** The content of one day's file. */
export interface DayState {
  rows: number;
  /** Identifies the set of rows, independent of their order in the file; empty if unknown. */
  digest: string;
  bytes: number;
  sha256: string;
  /** Rows per combination. */
  counts: Readonly<Record<string, number>>;
  /** When a run last pulled the day or compared its counts alone (ISO 8601). Absent if unknown. */
  checked?: string;
}

/** The source of a folder and its content. */
export interface SyncState {
  version: number;
  service: string;
  /** As written, so that relative dates are resolved again in each run. */
  filters: WrittenFilters;
  /** The absolute dates of the filters on the last run. */
  window: Pick<Filters, "start_date" | "end_date">;
  /** Whether the dates of `filters` may have been relative: version 1 stored only absolute dates. */
  datesAreResolved?: boolean;
  days: Record<string, DayState>;
  /** Days whose files are being replaced. If a run is interrupted, their content is unknown. */
  pending: string[];
}

/** What to do with a state that cannot be used: the end of a sentence about its file. */
export const START_OVER = "delete it and run `catalog sync --adopt` to start over";

export function statePathOf(folder: string): string {
  return join(ownFolderOf(folder), "state.json");
}

/** Whether the folder is one of `catalog sync`. */
export async function isSyncedFolder(folder: string): Promise<boolean> {
  return (await stat(statePathOf(folder)).catch(() => undefined))?.isFile() ?? false;
}

/** The state of a new folder. */
export function newState(copyOf: Pick<SyncState, "service" | "filters">): SyncState {
  return { version: STATE_VERSION, ...copyOf, window: {}, days: {}, pending: [] };
}

/**
 * The state of a folder; undefined if it has none.
 *
 * @throws FileError if the state cannot be read
 */
export async function readStateOf(folder: string): Promise<SyncState | undefined> {
  const path = statePathOf(folder);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) {
      return undefined;
    }
    throw fileError(path, error);
  });
  if (text === undefined) {
    return undefined;
  }
  const state = migrated(parseJsonObject(text) ?? {});
  if (state.version !== undefined && state.version !== STATE_VERSION) {
    throw new FileError(`${path} was written by another version of catalog; ${START_OVER}`, path);
  }
  if (!isState(state)) {
    throw new FileError(`${path} is damaged; ${START_OVER}`, path);
  }
  return state;
}

/** Version 1 stored the filters as sent to the API. */
function migrated(state: Partial<SyncState>): Partial<SyncState> {
  if (state.version !== 1 || !isJsonObject(state.filters)) {
    return state;
  }
  const sent = Object.entries(state.filters).map(([name, value]) => [name, String(value)] as const);
  const window = Object.fromEntries(sent.filter(([name]) => name.endsWith("_date")));
  const filters = { ...Object.fromEntries(sent.map(([name, value]) => [name, value.split(",")])), ...window };
  return { ...state, version: STATE_VERSION, filters, window, datesAreResolved: true };
}

function isState(state: Partial<SyncState>): state is SyncState {
  const { version, service, filters, window, days, pending } = state;
  return (
    version === STATE_VERSION &&
    typeof service === "string" &&
    isJsonObject(filters) &&
    isJsonObject(window) &&
    Object.values(window).every((day) => typeof day === "string" && isCalendarDate(day)) &&
    isJsonObject(days) &&
    Object.keys(days).every(isCalendarDate) &&
    Object.values(days).every(isDayState) &&
    Array.isArray(pending) &&
    pending.every((day) => typeof day === "string" && isCalendarDate(day))
  );
}

function isDayState(day: Partial<DayState> | null): day is DayState {
  return (
    typeof day?.digest === "string" &&
    typeof day.sha256 === "string" &&
    isJsonObject(day.counts) &&
    (day.checked === undefined || !Number.isNaN(Date.parse(day.checked))) &&
    Number.isSafeInteger(day.rows) &&
    Number.isSafeInteger(day.bytes) &&
    areIntegers(day.counts)
  );
}

/** A loop, because a large folder has about 100,000 counts, and a list of the values takes three times as long. */
function areIntegers(counts: JsonObject): boolean {
  for (const name in counts) {
    if (!Number.isSafeInteger(counts[name])) {
      return false;
    }
  }
  return true;
}

/** Writes the state in one step: the file is always either the old or the new one. */
export async function writeState(folder: string, state: SyncState): Promise<void> {
  await replaceFile(statePathOf(folder), `${JSON.stringify(state)}\n`);
}
