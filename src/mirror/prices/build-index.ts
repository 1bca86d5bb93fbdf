import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { formatRcd } from "../../contract/filters.ts";
import { FileError, LockedError } from "../../errors.ts";
import { lock } from "../../files/lock.ts";
import { assertOwnFolder, createOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { withFileError } from "../../files/system-error.ts";
import { columnChunks } from "../../output/formats/parquet/parquet-rows.ts";
import { ownFolderOf } from "../folder/folder-lock.ts";
import type { SyncState } from "../folder/folder-state.ts";
import { notParquet } from "../folder/parquet-file.ts";
import { openDay } from "../folder/synced-day.ts";
import { bytesOfRows, columnsIn } from "./day-prices.ts";
import { type GrowingListings, growListings } from "./grow-listings.ts";
import {
  finishIndex,
  type IndexedDay,
  type IndexStore,
  openIndex,
  type PriceIndex,
  storeInFile,
  storeInMemory,
} from "./index-file.ts";
import { modelText } from "./listings.ts";

export interface IndexRequest {
  folder: string;
  state: SyncState;
  /** Days that the index must have, except those that the folder lacks. */
  days: readonly string[];
  signal: AbortSignal;
  pid: number;
  /** Called before a day is read from its Parquet file. */
  onDay: (day: string) => void;
  /** Called with the reason if the index cannot be kept for the next time. */
  onNotKept: (reason: string) => void;
}

export function indexPathOf(folder: string): string {
  return join(ownFolderOf(folder), "prices.index");
}

/** Whether an index has the wanted days as the state has them. */
export function isComplete({ days: indexed }: PriceIndex, { state, days }: IndexRequest): boolean {
  return days.every((day) => indexed.get(day)?.sha256 === state.days[day]?.sha256);
}

/**
 * Makes an index with the wanted days. Days of the present index are copied; the others are read from their Parquet files.
 * The new index replaces the present one in one step. If another process is making one or the folder cannot be written,
 * the new index is only in memory, with 28 bytes a row.
 *
 * @throws FileError if a day's file is missing or was altered
 */
export async function makeIndex(request: IndexRequest): Promise<PriceIndex> {
  const { folder, pid } = request;
  try {
    await assertOwnFolder(ownFolderOf(folder));
    const held = await lock(folder, `${indexPathOf(folder)}.lock`, pid);
    try {
      return await makeFile(request, held.assertHeld);
    } finally {
      await held.release();
    }
  } catch (error) {
    const cannotWrite = error instanceof FileError && error.path.startsWith(ownFolderOf(folder));
    if (!cannotWrite && !(error instanceof LockedError)) {
      throw error;
    }
    request.onNotKept(error.message);
  }
  const present = await openIndex(indexPathOf(folder));
  try {
    return await writeIndex(request, present, storeInMemory());
  } finally {
    await present?.close();
  }
}

async function makeFile(request: IndexRequest, assertHeld: () => Promise<void>): Promise<PriceIndex> {
  const path = indexPathOf(request.folder);
  const present = await openIndex(path);
  if (present !== undefined && isComplete(present, request)) {
    return present;
  }
  const next = `${path}.new`;
  try {
    await removeOwnFile(next);
    const file = await createOwnFile(next);
    try {
      const store = storeInFile(next, file);
      const index = await writeIndex(request, present, store);
      await store.finish();
      await assertHeld();
      // The file need not survive a loss of power: a damaged index is detected and made again.
      await withFileError(next, () => rename(next, path));
      return index;
    } catch (error) {
      await file.close();
      await rm(next, { force: true });
      throw error;
    }
  } finally {
    await present?.close();
  }
}

async function writeIndex(
  { folder, state, days, signal, onDay }: IndexRequest,
  present: PriceIndex | undefined,
  store: IndexStore,
): Promise<PriceIndex> {
  const isKept = ({ day, sha256 }: IndexedDay) => state.days[day]?.sha256 === sha256;
  const rowsOf = (some: readonly IndexedDay[]) => some.reduce((sum, { rows }) => sum + rows, 0);
  const all = [...(present?.days.values() ?? [])];
  const kept = all.filter(isKept);
  const dropped = (present?.dropped ?? 0) + rowsOf(all) - rowsOf(kept);
  // If most rows are gone, most listings may be of rows that are gone, so the index is rebuilt in full.
  const base = dropped > rowsOf(kept) ? undefined : present;
  const ofBase = new Map(base === undefined ? [] : kept.map((day) => [day.day, day]));
  const listings = growListings(base?.listings);
  const indexed: IndexedDay[] = [];
  for (const day of [...new Set([...ofBase.keys(), ...days])].sort()) {
    signal.throwIfAborted();
    const known = ofBase.get(day);
    if (known === undefined) {
      onDay(day);
    }
    const read =
      known === undefined || base === undefined
        ? await dayFromParquet(folder, state, day, listings)
        : await dayFromIndex(base, known);
    if (read !== undefined) {
      const { sha256, rows, bytes } = read;
      indexed.push({ day, sha256, rows, at: await store.append(bytes) });
    }
  }
  return await finishIndex(store, indexed, listings.pack(), base === undefined ? 0 : dropped);
}

async function dayFromIndex(index: PriceIndex, { sha256, rows, at }: IndexedDay) {
  const bytes = new Uint8Array(bytesOfRows(rows));
  await index.read(bytes, at);
  return { sha256, rows, bytes };
}

const PRICE_COLUMNS = ["mrp", "selling_price", "discount_pct"] as const;
/** What a file that another version wrote may lack; empty then. */
const DESCRIBING_COLUMNS: readonly string[] = ["title", "brand", "model_number"];
const INDEXED_COLUMNS = [
  ...(["retailer", "category", "department", "sku", "currency", "title", "brand", "model_number"] as const),
  ...PRICE_COLUMNS,
];

/** Reads a day from its Parquet file. Returns undefined if the folder no longer has the day. */
async function dayFromParquet(folder: string, state: SyncState, day: string, listings: GrowingListings) {
  const opened = await openDay(folder, day, state);
  if (opened === undefined) {
    return undefined;
  }
  try {
    const { rows, columns } = await columnChunks(opened.buffer, INDEXED_COLUMNS);
    const bytes = new Uint8Array(bytesOfRows(rows));
    const target = columnsIn(bytes, rows);
    const textAt = (name: (typeof INDEXED_COLUMNS)[number], row: number): string => {
      const values = columns[name];
      const value = values === undefined && DESCRIBING_COLUMNS.includes(name) ? "" : values?.[row];
      if (typeof value !== "string") {
        throw new Error(`row ${row + 1} has no text in the column ${name}`);
      }
      return value;
    };
    for (let row = 0; row < rows; row += 1) {
      for (const name of PRICE_COLUMNS) {
        const price = columns[name]?.[row];
        if (typeof price !== "number") {
          throw new Error(`row ${row + 1} has no number in the column ${name}`);
        }
        target[name][row] = price;
      }
      const rcd = formatRcd({
        retailer: textAt("retailer", row),
        category: textAt("category", row),
        department: textAt("department", row),
      });
      target.listing[row] = listings.add({
        rcd,
        sku: textAt("sku", row),
        currency: textAt("currency", row),
        title: textAt("title", row),
        model: modelText(textAt("brand", row), textAt("model_number", row)),
      });
    }
    return { sha256: opened.sha256, rows, bytes };
  } catch (error) {
    throw notParquet(opened.path, error);
  } finally {
    await opened.close();
  }
}
