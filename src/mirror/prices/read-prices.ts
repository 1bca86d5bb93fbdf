import { join } from "node:path";
import { FileError } from "../../errors.ts";
import { columnChunks } from "../../export/parquet-groups.ts";
import { placeOfDay } from "../folder/day-files.ts";
import type { SyncState } from "../folder/folder-state.ts";
import { openDay } from "../folder/synced-day.ts";
import type { DayPrices } from "./day-prices.ts";
import { dropCachedPrices, readCachedPrices, writeCachedPrices } from "./price-cache.ts";

/**
 * Prices of the days of a synced folder, in the order asked for; a day that the folder does not have is passed over.
 *
 * A day is read from its Parquet file once and kept in the folder's `.catalog/prices`, which is as good as the file: it
 * names the file's SHA-256. If the folder cannot be written, nothing is kept. Memory: one day.
 *
 * @throws FileError if a day's file is missing or was altered
 */
export async function* readDayPrices(
  folder: string,
  state: SyncState,
  days: readonly string[],
  { signal, pid }: { signal: AbortSignal; pid: number },
): AsyncGenerator<DayPrices, void, undefined> {
  let isNew = false;
  for (const day of days) {
    signal.throwIfAborted();
    const held = state.days[day];
    if (held === undefined) {
      continue;
    }
    const cached = await readCachedPrices(folder, day, held.sha256);
    if (cached !== undefined) {
      yield cached;
      continue;
    }
    const prices = await readFromParquet(folder, state, day);
    if (prices !== undefined) {
      await writeCachedPrices(folder, prices.prices, prices.sha256, pid);
      isNew = true;
      yield prices.prices;
    }
  }
  if (isNew) {
    await dropCachedPrices(folder, (day) => state.days[day] !== undefined);
  }
}

const COLUMNS = [
  "retailer",
  "category",
  "department",
  "sku",
  "currency",
  "mrp",
  "selling_price",
  "discount_pct",
] as const;

async function readFromParquet(
  folder: string,
  state: SyncState,
  day: string,
): Promise<{ prices: DayPrices; sha256: string } | undefined> {
  const read = await readColumns(folder, state, day, COLUMNS);
  return read && { prices: pricesOf(day, read.columns), sha256: read.sha256 };
}

/**
 * Whole columns of a day's file, and the SHA-256 of the file; undefined if the folder does not have the day.
 *
 * @throws FileError if the file is missing, was altered or cannot be read as Parquet
 */
export async function readColumns<Name extends string>(
  folder: string,
  state: SyncState,
  day: string,
  names: readonly Name[],
): Promise<{ columns: Record<Name, readonly unknown[]>; sha256: string } | undefined> {
  const opened = await openDay(folder, day, state);
  if (opened === undefined) {
    return undefined;
  }
  try {
    return { columns: await columnChunks(opened.buffer, names), sha256: opened.sha256 };
  } catch (error) {
    const path = join(folder, placeOfDay(day));
    throw new FileError(`${path} cannot be read as Parquet: ${(error as Error).message}`, path, error);
  } finally {
    await opened.close();
  }
}

function pricesOf(day: string, columns: Record<(typeof COLUMNS)[number], readonly unknown[]>): DayPrices {
  const texts = (name: (typeof COLUMNS)[number]) => columns[name] as readonly string[];
  const skus = texts("sku");
  let end = 0;
  const currencies = numbered(texts("currency"));
  const [retailers, categories, departments] = [texts("retailer"), texts("category"), texts("department")];
  const triples = numbered(retailers.map((retailer, row) => `${retailer}:${categories[row]}:${departments[row]}`));
  return {
    day,
    rows: skus.length,
    combinations: triples.values.map((triple) => {
      const [retailer = "", category = "", department = ""] = triple.split(":");
      return { retailer, category, department };
    }),
    combination: Uint32Array.from(triples.indexes),
    skus: skus.join(""),
    skuEnds: Uint32Array.from(skus, (sku) => {
      end += sku.length;
      return end;
    }),
    currencies: currencies.values,
    currency: Uint8Array.from(currencies.indexes),
    mrp: Float64Array.from(columns.mrp as readonly number[]),
    selling_price: Float64Array.from(columns.selling_price as readonly number[]),
    discount_pct: Float64Array.from(columns.discount_pct as readonly number[]),
  };
}

/** Each different text once, in the order of its first use, and for each text which of them it is. */
function numbered(texts: readonly string[]): { values: string[]; indexes: number[] } {
  const numbers = new Map<string, number>();
  const indexes = texts.map((text) => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  });
  return { values: [...numbers.keys()], indexes };
}
