import { type IndexRequest, indexPathOf, isComplete, makeIndex } from "./build-index.ts";
import type { Prices } from "./day-prices.ts";
import { bytesOfRows, columnsIn } from "./day-prices.ts";
import { type IndexedDay, openIndex, type PriceIndex } from "./index-file.ts";

/**
 * Reads prices of days of a synced folder; a day that the folder does not have is passed over.
 *
 * A day is read from its Parquet file once and kept in the folder's `.catalog/prices.index`, which may be removed at any
 * time. The index names the SHA-256 of the file, so that a day is read again after a sync has changed it. Memory: one day
 * and the listings.
 *
 * @throws FileError if a day's file is missing or was altered
 */
export async function withPrices<T>(request: IndexRequest, use: (prices: Prices) => Promise<T>): Promise<T> {
  const present = await openIndex(indexPathOf(request.folder));
  let index = present;
  if (index === undefined || !isComplete(index, request)) {
    await present?.close();
    index = await makeIndex(request);
  }
  try {
    return await use(pricesOf(index, request));
  } finally {
    await index.close();
  }
}

function pricesOf(index: PriceIndex, { days, signal }: IndexRequest): Prices {
  const wanted = [...days].sort().flatMap((day) => index.days.get(day) ?? []);
  const rows = wanted.reduce((most, day) => Math.max(most, day.rows), 0);
  return {
    listings: index.listings,
    days: async function* () {
      const bytes = new Uint8Array(bytesOfRows(rows));
      for (const day of wanted) {
        signal.throwIfAborted();
        yield await readDay(index, day, bytes);
      }
    },
  };
}

async function readDay(index: PriceIndex, { day, rows, at }: IndexedDay, bytes: Uint8Array) {
  await index.read(bytes.subarray(0, bytesOfRows(rows)), at);
  return { day, rows, ...columnsIn(bytes, rows) };
}
