import { hash } from "node:crypto";
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { Filters } from "../contract/filters.ts";
import { createOwnFile, openOwnFile } from "../files/own-file.ts";
import { errorCode, fileError } from "../files/system-error.ts";
import type { SavedPage } from "../pull/look-ahead.ts";

/** Bumped on incompatible changes. */
export const JOURNAL_VERSION = 2;

/** What identifies an export; the journal of a different export must not be continued. */
export interface JournalHead {
  service: string;
  filters: Filters;
  format: string;
  columns: readonly string[] | null;
  compression: string | null;
  page_size: number;
  max_rows: number | null;
}

/** A slice that is in the output. */
export interface JournalSlice {
  /** Identifies what was read, see `sliceKey`. */
  key: string;
  rows: number;
  /** Length of the output after it, in bytes. */
  bytes: number;
  /** CRC-32 of its part of the output. */
  crc: number;
  /** State that the format needs to continue after it; absent if it needs none. */
  state?: string;
}

/**
 * One line of a journal. `page`: a page is in the spool. `drop`: the pages of a slice are no longer needed. `slice`: a
 * slice is in the output, and its pages are no longer needed. `rewind`: only this many slices are still valid.
 */
export type JournalEntry =
  | ({ kind: "head"; version: number; tool: string; started_at: string } & JournalHead)
  | { kind: "plan"; slice_pages: number }
  | ({ kind: "page"; slice: string } & SavedPage)
  | { kind: "drop"; slice: string }
  | ({ kind: "slice" } & JournalSlice)
  | { kind: "rewind"; slices: number };

/** The state of an unfinished output, from its journal. */
export interface Journal {
  head: Extract<JournalEntry, { kind: "head" }>;
  slicePages: number | undefined;
  slices: JournalSlice[];
  /** Pages in the spool, by slice. */
  pages: Map<string, SavedPage[]>;
  /** Bytes of the journal up to its first damaged line. */
  length: number;
  isDamaged: boolean;
}

/** The journal of the output `target`. */
export function journalPathOf(target: string): string {
  return `${target}.partial.json`;
}

/**
 * Reads a journal up to its first line that was cut or damaged.
 *
 * @returns undefined if there is none, or it is not a journal of this version
 * @throws FileError if it cannot be read
 */
export async function readJournal(path: string): Promise<Journal | undefined> {
  let handle: FileHandle;
  try {
    handle = await openOwnFile(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  let journal: Journal | undefined;
  let length = 0;
  try {
    // Skips a last line without a line end: it was cut off.
    for await (const line of linesOf(handle)) {
      const entry = parse(line);
      if (entry === undefined || (entry.kind === "head") !== (journal === undefined)) {
        break;
      }
      if (entry.kind === "head" && entry.version !== JOURNAL_VERSION) {
        return undefined;
      }
      length += Buffer.byteLength(line) + 1;
      journal = journal === undefined ? journalOf(entry) : addTo(journal, entry);
    }
    return journal && { ...journal, length, isDamaged: length < (await handle.stat()).size };
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await handle.close();
  }
}

async function* linesOf(handle: FileHandle): AsyncGenerator<string, void, void> {
  let pending = "";
  for await (const text of handle.createReadStream({ encoding: "utf8", autoClose: false, start: 0 })) {
    const lines = (pending + String(text)).split("\n");
    pending = lines.pop() ?? "";
    yield* lines;
  }
}

function journalOf(entry: JournalEntry): Journal | undefined {
  return entry.kind === "head"
    ? { head: entry, slicePages: undefined, slices: [], pages: new Map(), length: 0, isDamaged: false }
    : undefined;
}

function addTo(journal: Journal, entry: JournalEntry): Journal {
  const { slices, pages } = journal;
  switch (entry.kind) {
    case "head":
      break;
    case "plan":
      return { ...journal, slicePages: entry.slice_pages };
    case "page": {
      const { slice, place, extent } = entry;
      const known = pages.get(slice);
      known === undefined ? pages.set(slice, [{ place, extent }]) : known.push({ place, extent });
      break;
    }
    case "drop":
      pages.delete(entry.slice);
      break;
    case "slice": {
      const { kind: _, ...slice } = entry;
      slices.push(slice);
      pages.delete(slice.key);
      break;
    }
    case "rewind":
      slices.length = entry.slices;
      break;
  }
  return journal;
}

const SUM = ',"sum":"';

/** A line is JSON whose last member is a checksum of the text before it. */
function lineOf(entry: JournalEntry): string {
  const text = JSON.stringify(entry).slice(0, -1);
  return `${text}${SUM}${sumOf(text)}"}\n`;
}

function parse(line: string): JournalEntry | undefined {
  const at = line.lastIndexOf(SUM);
  const text = line.slice(0, Math.max(at, 0));
  return at !== -1 && line === `${text}${SUM}${sumOf(text)}"}` ? (JSON.parse(`${text}}`) as JournalEntry) : undefined;
}

function sumOf(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

/** A journal open for writing. */
export interface JournalWriter {
  /** Resolves when the operating system has the line, so that it survives the end of this process. */
  append(entry: JournalEntry): Promise<void>;
  /** Resolves when all lines would survive a power failure. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a journal, which must not exist yet, or continues one after its first `length` bytes. */
export async function openJournal(path: string, length?: number): Promise<JournalWriter> {
  const handle =
    length === undefined
      ? await createOwnFile(path, { append: true })
      : await openOwnFile(path, constants.O_RDWR | constants.O_APPEND);
  const reporting = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw fileError(path, error);
    }
  };
  if (length !== undefined) {
    await reporting(() => handle.truncate(length));
  }
  return {
    append: (entry) => reporting(() => handle.appendFile(lineOf(entry))),
    sync: () => reporting(() => handle.datasync()),
    close: () => handle.close(),
  };
}

/** Describes the first difference between two exports that keeps one from continuing the other. */
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

/** JSON with the filters in a fixed order. */
function inOrder(value: JournalHead[keyof JournalHead]): string {
  const isFilters = typeof value === "object" && value !== null && !Array.isArray(value);
  return JSON.stringify(isFilters ? Object.fromEntries(Object.entries(value).sort()) : value);
}
