import { readFile, rm } from "node:fs/promises";
import type { Filters } from "../contract/filters.ts";
import { FileError } from "../errors.ts";
import { errorCode, fileError } from "../files/system-error.ts";

/** Raised when a journal of before can no longer be understood. */
export const JOURNAL_VERSION = 1;

/** What an export is; a journal of another one must not be continued. */
export interface JournalHead {
  service: string;
  filters: Filters;
  format: string;
  columns: readonly string[] | null;
  compression: string | null;
  page_size: number;
  max_rows: number | null;
}

/** A slice that is on disk. */
export interface JournalSlice {
  /** Names what was read, see `sliceKey`. */
  key: string;
  rows: number;
  /** Length of the output after it, in bytes. */
  bytes: number;
  /** What the format needs to go on after it; absent in formats that need nothing. */
  state?: string;
}

/** What is safely written of an unfinished output. */
export interface Journal extends JournalHead {
  version: number;
  tool: string;
  started_at: string;
  slice_pages: number | null;
  slices: JournalSlice[];
}

/** The journal of the output `target`. */
export function journalPathOf(target: string): string {
  return `${target}.partial.json`;
}

/**
 * Reads a journal.
 *
 * @returns undefined where there is none
 * @throws FileError where it cannot be read or is not one that this version understands
 */
export async function readJournal(path: string): Promise<Journal | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return undefined;
    }
    throw fileError(path, error);
  }
  const journal = parse(text);
  if (journal === undefined) {
    throw new FileError(
      `${path} is not the journal of an export; delete it, and the .partial file beside it, to start anew`,
      path,
    );
  }
  if (journal.version !== JOURNAL_VERSION) {
    throw new FileError(
      `${path} was written by version ${journal.tool} of catalog and cannot be continued by this one; delete it, and the .partial file beside it, to start anew`,
      path,
    );
  }
  return journal;
}

function parse(text: string): Journal | undefined {
  try {
    const journal = JSON.parse(text) as Partial<Journal> | null;
    const { version, slices } = journal ?? {};
    return typeof version === "number" && Array.isArray(slices) && slices.every(isSlice)
      ? (journal as Journal)
      : undefined;
  } catch {
    return undefined;
  }
}

function isSlice(slice: Partial<JournalSlice> | null): boolean {
  return typeof slice?.key === "string" && Number.isSafeInteger(slice.rows) && Number.isSafeInteger(slice.bytes);
}

export async function removeJournal(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.new`, { force: true });
}

/** In words, how two exports differ: the first that differs of what must be the same to continue one. */
export function difference(journal: JournalHead, wanted: JournalHead): string | undefined {
  const compared = [
    ["service", "the service"],
    ["filters", "the filters"],
    ["format", "the format"],
    ["columns", "the columns"],
    ["compression", "the compression"],
    ["page_size", "the page size"],
    ["max_rows", "--max-rows"],
  ] as const satisfies readonly (readonly [keyof JournalHead, string])[];
  const different = compared.find(([name]) => inOrder(journal[name]) !== inOrder(wanted[name]));
  if (different === undefined) {
    return undefined;
  }
  const [name, words] = different;
  return `${words} of the interrupted export: ${inOrder(journal[name])}, now: ${inOrder(wanted[name])}`;
}

/** JSON with the members of filters in one order. */
function inOrder(value: JournalHead[keyof JournalHead]): string {
  const isFilters = typeof value === "object" && value !== null && !Array.isArray(value);
  return JSON.stringify(isFilters ? Object.fromEntries(Object.entries(value).sort()) : value);
}
