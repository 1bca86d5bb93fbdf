import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Filters, isCalendarDate } from "../../contract/filters.ts";
import { FileError } from "../../errors.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { errorCode, fileError } from "../../files/system-error.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import { ownFolderOf } from "./folder-lock.ts";

/** Bumped on incompatible changes. */
const STATE_VERSION = 2;

/** What the file of one day holds. */
export interface DayState {
  rows: number;
  /** Names the rows whatever their order, which depends on how they were pulled; empty if it is not known. */
  digest: string;
  bytes: number;
  sha256: string;
  /** Rows per combination. */
  counts: Readonly<Record<string, number>>;
  /** When a run last pulled the day or compared its counts by themselves (ISO 8601); absent if none is known to have. */
  checked?: string;
}

/** What a folder is a copy of and what it holds. */
export interface SyncState {
  version: number;
  service: string;
  /** As they were written: relative dates move on. */
  filters: WrittenFilters;
  /** The dates that the filters meant on the last run. */
  window: Pick<Filters, "start_date" | "end_date">;
  /** Whether the dates of `filters` may have been written in another way: version 1 kept only what they meant. */
  datesAreResolved?: boolean;
  days: Record<string, DayState>;
  /** Days whose files were being replaced; what they hold is unknown where a run ended before it was done. */
  pending: string[];
}

const START_ANEW = "delete it and run `catalog sync --adopt` to start anew";

export function statePathOf(folder: string): string {
  return join(ownFolderOf(folder), "state.json");
}

/** The state of a folder of which nothing is known yet. */
export function newState(copyOf: Pick<SyncState, "service" | "filters">): SyncState {
  return { version: STATE_VERSION, ...copyOf, window: {}, days: {}, pending: [] };
}

/**
 * The state of a folder, whatever it is a copy of; undefined if it has none.
 *
 * @throws FileError if the state cannot be read
 */
export async function readStateOf(folder: string): Promise<SyncState | undefined> {
  const path = statePathOf(folder);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) {
      return undefined;
    }
    throw fileError(path, error);
  }
  const state = migrated(parse(text));
  if (state.version !== undefined && state.version !== STATE_VERSION) {
    throw new FileError(`${path} was written by another version of catalog; ${START_ANEW}`, path);
  }
  if (!isState(state)) {
    throw new FileError(`${path} is damaged; ${START_ANEW}`, path);
  }
  return state;
}

/** Version 1 kept the filters as the API took them. */
function migrated(state: Partial<SyncState>): Partial<SyncState> {
  if (state.version !== 1 || !isObject(state.filters)) {
    return state;
  }
  const { retailer, category, department, rcd, ...window } = state.filters as object as Filters;
  const filters = {
    ...(retailer !== undefined && { retailer: [retailer] }),
    ...(category !== undefined && { category: [category] }),
    ...(department !== undefined && { department: [department] }),
    ...(rcd !== undefined && { rcd: rcd.split(",") }),
    ...window,
  };
  return { ...state, version: STATE_VERSION, filters, window, datesAreResolved: true };
}

/** Nothing if the text is not an object of JSON. */
function parse(text: string): Partial<SyncState> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isState(state: Partial<SyncState>): state is SyncState {
  const { version, service, filters, window, days, pending } = state;
  return (
    version === STATE_VERSION &&
    typeof service === "string" &&
    isObject(filters) &&
    isObject(window) &&
    Object.values(window).every((day) => typeof day === "string" && isCalendarDate(day)) &&
    isObject(days) &&
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
    isObject(day.counts) &&
    (day.checked === undefined || !Number.isNaN(Date.parse(day.checked))) &&
    [day.rows, day.bytes, ...Object.values(day.counts)].every(Number.isSafeInteger)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes the state so that at any instant the old or the new one is there, whole. */
export async function writeState(folder: string, state: SyncState): Promise<void> {
  await replaceFile(statePathOf(folder), `${JSON.stringify(state)}\n`);
}
