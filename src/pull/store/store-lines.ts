import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, parseJsonObject } from "../../contract/values/json-object.ts";
import { readOwnFile } from "../../files/own-file.ts";
import type { SetFilters } from "../set-filters.ts";
import type { WrittenFilters } from "../written-filters.ts";
import { apply, type PageLine, type PagesBySlice, type PlanCuts } from "./page-store.ts";

/** Bumped on incompatible changes of the lines or of the file of rows. */
export const STORE_VERSION = 5;

/** Maximum bytes of the file of lines: those of a million pages, which are five hundred million rows. */
const MAX_BYTES = 512 * 1000 ** 2;

/** What the pages of a store belong to. Pages of another set are useless; format, columns and compression do not matter. */
export interface StoreHead {
  service: string;
  /** As they were sent. */
  filters: SetFilters;
  /** As they were written. */
  asked: WrittenFilters;
}

/**
 * The first line of a store, then one for each page, in the order in which they were saved. `drop` drops all
 * pages that are stored for the slice so far.
 */
export type StoreLine =
  | ({ kind: "head"; version: number; tool: string; started_at: string; cuts: PlanCuts } & StoreHead)
  | PageLine;

/** What the lines of a store say. */
export interface StoreContent {
  head: Extract<StoreLine, { kind: "head" }>;
  pages: PagesBySlice;
  /** Bytes of the lines up to the first damaged one. */
  length: number;
  isDamaged: boolean;
}

/** Whether two sets are the same, whatever the order of their filters, retailers and lists. */
export function isSameSet(one: SetFilters | WrittenFilters, other: SetFilters | WrittenFilters): boolean {
  return isDeepStrictEqual(inOrder(one), inOrder(other));
}

function inOrder(value: unknown): unknown {
  if (typeof value === "string" || Array.isArray(value)) {
    return String(value).split(",").sort();
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inOrder(part)]))
    : value;
}

/**
 * Reads the lines of a store up to the first one that was cut or damaged.
 *
 * @returns undefined if there are none; `other version` if another version of the tool wrote them; `damaged` if not even
 *   the first line can be read
 * @throws FileError if they cannot be read
 */
export async function readStoreLines(path: string): Promise<StoreContent | "other version" | "damaged" | undefined> {
  const text = await readOwnFile(path, MAX_BYTES);
  if (text === undefined || text === "") {
    return undefined;
  }
  let content: StoreContent | undefined;
  // A last line without a line end was cut off.
  for (const written of text.split("\n").slice(0, -1)) {
    const line = parseLine(written);
    if (content === undefined) {
      if (line?.kind !== "head") {
        break;
      }
      if (line.version !== STORE_VERSION) {
        return "other version";
      }
      content = { head: line, pages: new Map(), length: 0, isDamaged: false };
    } else if (line === undefined || line.kind === "head") {
      break;
    } else {
      apply(line, content.pages);
    }
    content.length += Buffer.byteLength(written) + 1;
  }
  return content === undefined ? "damaged" : { ...content, isDamaged: content.length < Buffer.byteLength(text) };
}

const SUM = ',"sum":"';

/** A line as it is in the file. Its last member is a checksum of the text before it. */
export function lineOf(line: StoreLine): Buffer {
  return Buffer.from(`${withSum(JSON.stringify(line).slice(0, -1))}\n`);
}

function withSum(text: string): string {
  return `${text}${SUM}${hash("sha256", text).slice(0, 16)}"}`;
}

function parseLine(line: string): StoreLine | undefined {
  const text = line.slice(0, Math.max(line.lastIndexOf(SUM), 0));
  return line === withSum(text) ? (parseJsonObject(`${text}}`) as StoreLine | undefined) : undefined;
}
