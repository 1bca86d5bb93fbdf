import { hash } from "node:crypto";
import { constants } from "node:fs";
import type { Filters } from "../contract/filters.ts";
import { createOwnFile, openOwnFile } from "../files/own-file.ts";
import { fileError, ifPresent, withFileError } from "../files/system-error.ts";
import { textLines } from "../files/text-lines.ts";
import type { SavedPage } from "../pull/look-ahead.ts";
import type { SliceEnd } from "./sink.ts";

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
export interface JournalSlice extends SliceEnd {
  /** Identifies what was read, see `sliceKey`. */
  key: string;
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
  const handle = await ifPresent(path, () => openOwnFile(path));
  if (handle === undefined) {
    return undefined;
  }
  let journal: Journal | undefined;
  try {
    // Skips a last line without a line end: it was cut off.
    for await (const line of textLines(handle.createReadStream({ encoding: "utf8", autoClose: false, start: 0 }))) {
      const entry = journalEntryIn(line);
      if (journal === undefined && entry?.kind === "head") {
        if (entry.version !== JOURNAL_VERSION) {
          return undefined;
        }
        journal = { head: entry, slicePages: undefined, slices: [], pages: new Map(), length: 0, isDamaged: false };
      } else if (journal !== undefined && entry !== undefined && entry.kind !== "head") {
        addEntry(journal, entry);
      } else {
        break;
      }
      journal.length += Buffer.byteLength(line) + 1;
    }
    return journal && { ...journal, isDamaged: journal.length < (await handle.stat()).size };
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await handle.close();
  }
}

function addEntry(journal: Journal, entry: Exclude<JournalEntry, { kind: "head" }>): void {
  const { slices, pages } = journal;
  switch (entry.kind) {
    case "plan":
      journal.slicePages = entry.slice_pages;
      break;
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
}

const SUM = ',"sum":"';

/** JSON whose last member is a checksum of the text before it. @param text of the entry, without its last brace */
function journalLine(text: string): string {
  return `${text}${SUM}${hash("sha256", text).slice(0, 16)}"}`;
}

function journalEntryIn(line: string): JournalEntry | undefined {
  const text = line.slice(0, Math.max(line.lastIndexOf(SUM), 0));
  return line === journalLine(text) ? (JSON.parse(`${text}}`) as JournalEntry) : undefined;
}

/** A journal open for writing. */
export type JournalWriter = Awaited<ReturnType<typeof openJournal>>;

/** Creates a journal, which must not exist yet, or continues one after its first `length` bytes. */
export async function openJournal(path: string, length?: number) {
  const handle =
    length === undefined
      ? await createOwnFile(path, { append: true })
      : await openOwnFile(path, constants.O_RDWR | constants.O_APPEND);
  if (length !== undefined) {
    await withFileError(path, () => handle.truncate(length));
  }
  return {
    /** Resolves when the operating system has the line, so that it survives the end of this process. */
    append: (entry: JournalEntry) =>
      withFileError(path, () => handle.appendFile(`${journalLine(JSON.stringify(entry).slice(0, -1))}\n`)),
    /** Resolves when all lines would survive a power failure. */
    sync: () => withFileError(path, () => handle.datasync()),
    close: () => handle.close(),
  };
}

const HEAD_WORDS: Readonly<Record<keyof JournalHead, string>> = {
  service: "the service",
  filters: "the filters",
  format: "the format",
  columns: "the columns",
  compression: "the compression",
  page_size: "the page size",
  max_rows: "--max-rows",
};

/** Describes the first difference between two exports that keeps one from continuing the other. */
export function firstDifference(journal: JournalHead, wanted: JournalHead): string | undefined {
  const name = (Object.keys(HEAD_WORDS) as (keyof JournalHead)[]).find(
    (member) => sortedJson(journal[member]) !== sortedJson(wanted[member]),
  );
  return (
    name &&
    `${HEAD_WORDS[name]} of the interrupted export: ${sortedJson(journal[name])}, now: ${sortedJson(wanted[name])}`
  );
}

/** JSON with the filters in a fixed order. */
function sortedJson(value: JournalHead[keyof JournalHead]): string {
  const isFilters = typeof value === "object" && value !== null && !Array.isArray(value);
  return JSON.stringify(isFilters ? Object.fromEntries(Object.entries(value).sort()) : value);
}
