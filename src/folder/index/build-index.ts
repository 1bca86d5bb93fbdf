import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { FileError, LockedError } from "../../contract/errors.ts";
import { formatRcd } from "../../contract/filters.ts";
import { lock } from "../../files/lock.ts";
import { assertOwnFolder, createOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { withFileError } from "../../files/system-error.ts";
import { ownFolderOf } from "../folder-lock.ts";
import type { SyncState } from "../folder-state.ts";
import { readDay } from "./day-columns.ts";
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

/**
 * An index with the wanted days. If the present one lacks some, a new one replaces it in one step: days of the present one
 * are copied, the others are read from their Parquet files. If another process is making one or the folder cannot be written,
 * the new index is only in memory, with 28 bytes a row.
 *
 * @throws FileError if a day's file is missing or was altered
 */
export async function completeIndex(request: IndexRequest): Promise<PriceIndex> {
  const { folder, pid } = request;
  return await presentOr(request, async (present) => {
    try {
      await assertOwnFolder(ownFolderOf(folder));
      const held = await lock(folder, `${indexPathOf(folder)}.lock`, pid);
      try {
        // Another process may have made it meanwhile.
        return await presentOr(request, (now) => makeFile(request, now, held.assertHeld));
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
    return await writeIndex(request, present, storeInMemory());
  });
}

/** The present index if it has the wanted days as the state has them, or else what `make` makes, which may read the present one. */
async function presentOr(
  { folder, state, days }: IndexRequest,
  make: (present: PriceIndex | undefined) => Promise<PriceIndex>,
): Promise<PriceIndex> {
  const present = await openIndex(indexPathOf(folder));
  if (present !== undefined && days.every((day) => present.days.get(day)?.sha256 === state.days[day]?.sha256)) {
    return present;
  }
  try {
    return await make(present);
  } finally {
    await present?.close();
  }
}

async function makeFile(
  request: IndexRequest,
  present: PriceIndex | undefined,
  assertHeld: () => Promise<void>,
): Promise<PriceIndex> {
  const path = indexPathOf(request.folder);
  const next = `${path}.new`;
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
}

async function writeIndex(
  request: IndexRequest,
  present: PriceIndex | undefined,
  store: IndexStore,
): Promise<PriceIndex> {
  const { state, days, signal, onDay } = request;
  const isKept = ({ day, sha256 }: IndexedDay) => state.days[day]?.sha256 === sha256;
  const rowsOf = (some: readonly IndexedDay[]) => some.reduce((sum, { rows }) => sum + rows, 0);
  const all = [...(present?.days.values() ?? [])];
  const kept = all.filter(isKept);
  const dropped = (present?.dropped ?? 0) + rowsOf(all) - rowsOf(kept);
  // If most rows are gone, most listings may be of rows that are gone, so the index is rebuilt in full.
  const base = dropped > rowsOf(kept) ? undefined : present;
  const listings = growListings(base?.listings);
  const indexed = new Map<string, IndexedDay>();
  for (const { day, sha256, rows, at } of base === undefined ? [] : kept) {
    const bytes = new Uint8Array(bytesOfRows(rows));
    await base?.read(bytes, at);
    indexed.set(day, { day, sha256, rows, at: await store.append(bytes) });
  }
  for (const day of [...new Set(days)].filter((day) => !indexed.has(day)).sort()) {
    signal.throwIfAborted();
    onDay(day);
    const read = await dayFromParquet(request, day, listings);
    if (read !== undefined) {
      const { sha256, rows, bytes } = read;
      indexed.set(day, { day, sha256, rows, at: await store.append(bytes) });
    }
  }
  const inOrder = [...indexed.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  return await finishIndex(store, inOrder, listings.pack(), base === undefined ? 0 : dropped);
}

const PRICE_COLUMNS = ["mrp", "selling_price", "discount_pct"] as const;
/** What a file that another version wrote may lack; empty then. */
const DESCRIBING_COLUMNS: readonly string[] = ["title", "brand", "model_number"];
const INDEXED_COLUMNS = [
  ...(["retailer", "category", "department", "sku", "currency", "title", "brand", "model_number"] as const),
  ...PRICE_COLUMNS,
];

/** Reads a day from its Parquet file. Returns undefined if the folder no longer has the day. */
async function dayFromParquet(request: IndexRequest, day: string, listings: GrowingListings) {
  return await readDay(request, day, INDEXED_COLUMNS, ({ sha256, rows, columns }) => {
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
    return { sha256, rows, bytes };
  });
}
