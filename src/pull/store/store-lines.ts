import { hash } from "node:crypto";
import { constants } from "node:fs";
import { createOwnFile, openOwnFile } from "../../files/own-file.ts";
import { fileError, ifPresent, withFileError } from "../../files/system-error.ts";
import { textLines } from "../../files/text-lines.ts";
import type { SetFilters } from "../own-days.ts";
import type { WrittenFilters } from "../written-filters.ts";
import type { StoredPage } from "./stored-page.ts";

/** Bumped on incompatible changes of the lines or of the file of rows. */
export const STORE_VERSION = 3;

/** What a store holds pages of. Pages of another set are useless; format, columns and compression do not matter. */
export interface StoreHead {
  service: string;
  /** As they were sent. */
  filters: SetFilters;
  /** As they were written. */
  asked: WrittenFilters;
}

/** How the set was cut into slices. */
export interface PlanCuts {
  page_size: number;
  slice_pages: number;
}

/**
 * One line of a store. `page`: a page is in the file of rows, as the next one of its slice. `drop`: only the first
 * `pages` pages of a slice count.
 */
export type StoreLine =
  | ({ kind: "head"; version: number; tool: string; started_at: string } & StoreHead)
  | ({ kind: "plan" } & PlanCuts)
  | ({ kind: "page"; slice: string } & StoredPage)
  | { kind: "drop"; slice: string; pages: number };

/** What the lines of a store say. */
export interface StoreContent {
  head: Extract<StoreLine, { kind: "head" }>;
  cuts: PlanCuts | undefined;
  /** By slice, each from its first page on. */
  pages: Map<string, StoredPage[]>;
  /** Bytes of the lines up to the first damaged one. */
  length: number;
  isDamaged: boolean;
}

/** Whether two sets are the same; the order of the filters does not matter. */
export function isSameSet(one: SetFilters | WrittenFilters, other: SetFilters | WrittenFilters): boolean {
  const inOrder = (filters: object) => JSON.stringify(Object.entries(filters).sort());
  return inOrder(one) === inOrder(other);
}

/** Number of pages of all slices. */
export function countPages(pages: ReadonlyMap<string, readonly StoredPage[]>): number {
  return [...pages.values()].reduce((sum, { length }) => sum + length, 0);
}

/**
 * Reads the lines of a store up to the first one that was cut or damaged.
 *
 * @returns undefined if there are none; `other version` if another version of the tool wrote them
 * @throws FileError if they cannot be read
 */
export async function readStoreLines(path: string): Promise<StoreContent | "other version" | undefined> {
  const handle = await ifPresent(path, () => openOwnFile(path));
  if (handle === undefined) {
    return undefined;
  }
  let content: StoreContent | undefined;
  try {
    // Skips a last line without a line end: it was cut off.
    for await (const text of textLines(handle.createReadStream({ encoding: "utf8", autoClose: false, start: 0 }))) {
      const line = parseLine(text);
      if (content === undefined && line?.kind === "head") {
        if (line.version !== STORE_VERSION) {
          return "other version";
        }
        content = { head: line, cuts: undefined, pages: new Map(), length: 0, isDamaged: false };
      } else if (content !== undefined && line !== undefined && line.kind !== "head") {
        addLine(content, line);
      } else {
        break;
      }
      content.length += Buffer.byteLength(text) + 1;
    }
    return content && { ...content, isDamaged: content.length < (await handle.stat()).size };
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await handle.close();
  }
}

function addLine(content: StoreContent, line: Exclude<StoreLine, { kind: "head" }>): void {
  const { pages } = content;
  switch (line.kind) {
    case "plan":
      content.cuts = { page_size: line.page_size, slice_pages: line.slice_pages };
      break;
    case "page": {
      const { slice, place, extent } = line;
      const known = pages.get(slice);
      known === undefined ? pages.set(slice, [{ place, extent }]) : known.push({ place, extent });
      break;
    }
    case "drop":
      pages.set(line.slice, (pages.get(line.slice) ?? []).slice(0, line.pages));
      break;
  }
}

const SUM = ',"sum":"';

/** JSON whose last member is a checksum of the text before it. @param text of the line, without its last brace */
function withSum(text: string): string {
  return `${text}${SUM}${hash("sha256", text).slice(0, 16)}"}`;
}

function parseLine(line: string): StoreLine | undefined {
  const text = line.slice(0, Math.max(line.lastIndexOf(SUM), 0));
  return line === withSum(text) ? (JSON.parse(`${text}}`) as StoreLine) : undefined;
}

/** Creates the lines of a store, which must not exist yet, or goes on after their first `length` bytes. */
export async function openStoreLines(path: string, length?: number) {
  const handle =
    length === undefined
      ? await createOwnFile(path, { append: true })
      : await openOwnFile(path, constants.O_RDWR | constants.O_APPEND);
  if (length !== undefined) {
    await withFileError(path, () => handle.truncate(length));
  }
  return {
    /** Resolves when the operating system has the line, so that it survives the end of this process. */
    append: (line: StoreLine) =>
      withFileError(path, () => handle.appendFile(`${withSum(JSON.stringify(line).slice(0, -1))}\n`)),
    /** Resolves when all lines would survive a loss of power. */
    sync: () => withFileError(path, () => handle.datasync()),
    close: () => handle.close(),
  };
}
