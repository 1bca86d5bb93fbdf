import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AlteredFolderError, FileError } from "../contract/errors.ts";
import { FILTER_NAMES, type Filters, isCalendarDate } from "../contract/filters.ts";
import { closest } from "../contract/values/closest.ts";
import { isDateExpression } from "../contract/values/date-expression.ts";
import { isJsonObject, parseJsonObject } from "../contract/values/json-object.ts";
import { operand, quoteCommand } from "../contract/values/quote-command.ts";
import { ownFileAt, readOwnFile } from "../files/own-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { isUnaltered, withChecksum } from "../files/text-checksum.ts";
import type { WrittenFilters } from "../pull/written-filters.ts";
import { type DayState, readDays, storedDays } from "./day-state.ts";
import { ownFolderOf, storeIn } from "./folder-lock.ts";

/** Bumped on incompatible changes. */
const STATE_VERSION = 4;

/** Maximum bytes of a state. A year of 420 combinations takes 0.9 MB. */
const MAX_BYTES = 256 * 1024 ** 2;

/** The source of a folder and its content. */
export interface SyncState {
  service: string;
  /** As written, so that relative dates are resolved again in each run. */
  filters: WrittenFilters;
  /** The absolute dates of the filters on the last run. */
  window: Pick<Filters, "start_date" | "end_date">;
  days: Record<string, DayState>;
  /** Days whose files are being replaced. If a run is interrupted, their content is unknown. */
  pending: string[];
  /** Whether no run has ended yet, so that days may be missing. */
  incomplete?: boolean;
}

/** A state whose members may be missing or wrong. */
type Unproven = Partial<Record<keyof SyncState, unknown>>;

/** The command line that syncs a folder. */
export function syncCommand(folder: string, ...flags: readonly string[]): string {
  return quoteCommand(["catalog", "sync", operand(folder), ...flags]);
}

/** What to do with a state that cannot be used, to be added to a message that begins with the path. */
export function startOver(folder: string): string {
  return `delete it and run \`${syncCommand(folder, "--adopt")}\` with the filters of the folder to start over`;
}

export function statePathOf(folder: string): string {
  return join(ownFolderOf(folder), "state.json");
}

/** Whether `catalog sync` made the folder. */
export async function isSyncedFolder(folder: string): Promise<boolean> {
  return (await stat(statePathOf(folder)).catch(() => undefined))?.isFile() ?? false;
}

/** The folders of `catalog sync` directly below a folder; none if it cannot be listed. */
export async function syncedFoldersBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const synced = await Promise.all(names.map((name) => isSyncedFolder(join(folder, name))));
  return names.filter((_, index) => synced[index]).sort();
}

/** The state of a new folder. */
export function newState(copyOf: Pick<SyncState, "service" | "filters">): SyncState {
  return { ...copyOf, window: {}, days: {}, pending: [], incomplete: true };
}

/**
 * The state of a folder; undefined if it has none.
 *
 * @throws AlteredFolderError if its checksum is wrong
 * @throws FileError if the state cannot be read
 */
export async function readStateOf(folder: string): Promise<SyncState | undefined> {
  const path = statePathOf(folder);
  const text = await readOwnFile(path, MAX_BYTES);
  if (text === undefined) {
    return undefined;
  }
  if (!isUnaltered(text)) {
    throw new AlteredFolderError(`${path} was altered: its own checksum is wrong; ${startOver(folder)}`);
  }
  const { checksum: _, version, combinations, days, ...members } = parseJsonObject(text) ?? {};
  if (version !== STATE_VERSION) {
    throw new FileError(`${path} was written by another version of catalog; ${startOver(folder)}`, path);
  }
  const state: Unproven = { ...members, days: readDays({ combinations, days }) };
  if (!isState(state)) {
    throw new FileError(`${path} is damaged; ${startOver(folder)}`, path);
  }
  return state;
}

function isState(state: Unproven): state is SyncState {
  const { service, filters, window, days, pending } = state;
  return (
    typeof service === "string" &&
    isJsonObject(filters) &&
    Object.entries(filters).every(isWrittenFilter) &&
    (state.incomplete === undefined || typeof state.incomplete === "boolean") &&
    isJsonObject(window) &&
    Object.values(window).every((day) => typeof day === "string" && isCalendarDate(day)) &&
    isJsonObject(days) &&
    Object.keys(days).every(isCalendarDate) &&
    Object.values(days).every(isDayState) &&
    Array.isArray(pending) &&
    pending.every((day) => typeof day === "string" && isCalendarDate(day))
  );
}

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
      const suggestions = near.map((name) => operand(join(dirname(folder), name)));
      const hint = suggestions.length === 0 ? `; \`${sync}\` creates one` : "";
      throw new FileError(`there is no folder ${folder}${hint}`, folder, undefined, suggestions);
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

/** Whether a day, whose counts are checked already, is whole. */
function isDayState(day: unknown): boolean {
  return (
    isJsonObject(day) &&
    typeof day.digest === "string" &&
    typeof day.sha256 === "string" &&
    (day.checked === undefined || (typeof day.checked === "string" && !Number.isNaN(Date.parse(day.checked)))) &&
    isWholeNumber(day.rows, 0) &&
    isWholeNumber(day.bytes, 1)
  );
}

function isWholeNumber(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function isWrittenFilter([name, value]: [name: string, value: unknown]): boolean {
  const isDate = name === "start_date" || name === "end_date";
  return (
    FILTER_NAMES.some((known) => known === name) &&
    (isDate
      ? typeof value === "string" && isDateExpression(value)
      : Array.isArray(value) && value.every((slug) => typeof slug === "string"))
  );
}

/**
 * Writes the state in one step: the file is always either the old or the new one.
 *
 * @param beforePlacing called right before the new file takes the name; if it throws, the old file stays
 */
export async function writeState(folder: string, state: SyncState, beforePlacing?: () => Promise<void>): Promise<void> {
  const text = withChecksum(
    JSON.stringify({ version: STATE_VERSION, ...state, ...storedDays(state.days) }).slice(0, -"}".length),
  );
  await replaceFile(statePathOf(folder), text, beforePlacing && { beforePlacing });
}
