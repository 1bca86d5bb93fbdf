import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Filters, isCalendarDate } from "../contract/filters.ts";
import { FileError, UsageError } from "../errors.ts";
import { replaceFile } from "../files/replace-file.ts";
import { errorCode, fileError } from "../files/system-error.ts";
import { ownFolderOf } from "./folder-lock.ts";

/** Bumped on incompatible changes. */
const STATE_VERSION = 1;

/** What the file of one day holds. */
export interface DayState {
  rows: number;
  /** Names the rows whatever their order, which depends on how they were pulled; empty where it is not known. */
  digest: string;
  bytes: number;
  sha256: string;
  /** Rows per combination. */
  counts: Readonly<Record<string, number>>;
}

/** What a folder is a copy of and what it holds. */
export interface SyncState {
  version: number;
  service: string;
  filters: Filters;
  days: Record<string, DayState>;
  /** Days whose files were being replaced; what they hold is unknown where a run ended before it was done. */
  pending: string[];
}

const START_ANEW = "delete it and run `catalog sync --adopt` to start anew";

export type CopyOf = Pick<SyncState, "service" | "filters">;

export function statePathOf(folder: string): string {
  return join(ownFolderOf(folder), "state.json");
}

export function newState(copyOf: CopyOf): SyncState {
  return { version: STATE_VERSION, ...copyOf, days: {}, pending: [] };
}

/**
 * Reads what the folder holds; undefined where it has no state.
 *
 * @throws UsageError where it is a copy of another set
 * @throws FileError where the state cannot be read
 */
export async function readState(folder: string, wanted: CopyOf): Promise<SyncState | undefined> {
  const state = await readStateOf(folder);
  if (state === undefined) {
    return undefined;
  }
  for (const name of ["service", "filters"] as const) {
    if (inOrder(state[name]) !== inOrder(wanted[name])) {
      throw new UsageError(
        `${folder} is a copy of another set: ${name} ${inOrder(state[name])}, now ${inOrder(wanted[name])}. Use another folder.`,
      );
    }
  }
  return state;
}

/**
 * The state of a folder, whatever it is a copy of; undefined where it has none.
 *
 * @throws FileError where the state cannot be read
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
  const state = parse(text);
  if (state.version !== undefined && state.version !== STATE_VERSION) {
    throw new FileError(`${path} was written by another version of catalog; ${START_ANEW}`, path);
  }
  if (!isState(state)) {
    throw new FileError(`${path} is damaged; ${START_ANEW}`, path);
  }
  return state;
}

/** Nothing where the text is not an object of JSON. */
function parse(text: string): Partial<SyncState> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isState(state: Partial<SyncState>): state is SyncState {
  const { version, service, filters, days, pending } = state;
  return (
    version === STATE_VERSION &&
    typeof service === "string" &&
    isObject(filters) &&
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

function inOrder(value: string | Filters): string {
  return JSON.stringify(typeof value === "string" ? value : Object.fromEntries(Object.entries(value).sort()));
}
