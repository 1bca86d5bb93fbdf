import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AlteredFolderError, FileError } from "../contract/errors.ts";
import { FILTER_NAMES, type Filters, isCalendarDate } from "../contract/filters.ts";
import { isDateExpression } from "../contract/values/date-expression.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../contract/values/json-object.ts";
import { operand, quoteCommand } from "../contract/values/quote-command.ts";
import { readOwnFile } from "../files/own-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { hasChecksum, isUnaltered, withChecksum } from "../files/text-checksum.ts";
import type { WrittenFilters } from "../pull/written-filters.ts";
import { type DayState, readDays, readEarlierDays, storedDays } from "./day-state.ts";
import { ownFolderOf } from "./folder-lock.ts";

/** Bumped on incompatible changes. Version 2 had no checksum, and version 3 repeated the names of combinations. */
const STATE_VERSION = 4;

/** The beginning of a state that must have a checksum. */
const BEGINNING = /^\{"version":[34],/;

/** Maximum bytes of a state. A year of 420 combinations takes 0.9 MB. */
const MAX_BYTES = 256 * 1024 ** 2;

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

/** The state of a new folder. */
export function newState(copyOf: Pick<SyncState, "service" | "filters">): SyncState {
  return { version: STATE_VERSION, ...copyOf, window: {}, days: {}, pending: [], incomplete: true };
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
  // Either the version or the checksum is enough to require a valid checksum, so that damage to the other is noticed, too.
  if ((BEGINNING.test(text) || hasChecksum(text)) && !isUnaltered(text)) {
    throw new AlteredFolderError(`${path} was altered: its own checksum is wrong; ${startOver(folder)}`);
  }
  const state = migrated(parseJsonObject(text) ?? {});
  if (state.version !== undefined && state.version !== STATE_VERSION) {
    throw new FileError(`${path} was written by another version of catalog; ${startOver(folder)}`, path);
  }
  if (!isState(state)) {
    throw new FileError(`${path} is damaged; ${startOver(folder)}`, path);
  }
  return state;
}

/** Reads the days of a state, and converts one of an earlier version: 1 stored the filters as they were sent to the API. */
function migrated({ checksum: _, combinations, ...written }: JsonObject): Unproven {
  if (written.version === STATE_VERSION) {
    return { ...written, days: readDays({ combinations, days: written.days }) };
  }
  const state: Unproven = { ...written, days: readEarlierDays(written.days) };
  if (state.version === 2 || state.version === 3) {
    return { ...state, version: STATE_VERSION };
  }
  if (state.version !== 1 || !isJsonObject(state.filters)) {
    return state;
  }
  const sent = Object.entries(state.filters).map(([name, value]) => [name, String(value)] as const);
  const window = Object.fromEntries(sent.filter(([name]) => name.endsWith("_date")));
  const filters = { ...Object.fromEntries(sent.map(([name, value]) => [name, value.split(",")])), ...window };
  return { ...state, version: STATE_VERSION, filters, window, datesAreResolved: true };
}

function isState(state: Unproven): state is SyncState {
  const { version, service, filters, window, days, pending } = state;
  return (
    version === STATE_VERSION &&
    typeof service === "string" &&
    isJsonObject(filters) &&
    Object.entries(filters).every(isWrittenFilter) &&
    [state.datesAreResolved, state.incomplete].every((value) => value === undefined || typeof value === "boolean") &&
    isJsonObject(window) &&
    Object.values(window).every((day) => typeof day === "string" && isCalendarDate(day)) &&
    isJsonObject(days) &&
    Object.keys(days).every(isCalendarDate) &&
    Object.values(days).every(isDayState) &&
    Array.isArray(pending) &&
    pending.every((day) => typeof day === "string" && isCalendarDate(day))
  );
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
    JSON.stringify({ ...state, version: STATE_VERSION, ...storedDays(state.days) }).slice(0, -"}".length),
  );
  await replaceFile(statePathOf(folder), text, beforePlacing && { beforePlacing });
}
