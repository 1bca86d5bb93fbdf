import type { Rcd } from "../../contract/filters.ts";
import { columnChunks } from "../../output/formats/parquet/read-parquet.ts";
import type { SyncState } from "../folder/folder-state.ts";
import { notParquet } from "../folder/parquet-file.ts";
import { openDay } from "../folder/synced-day.ts";

/** A row of a product: its price tells it from other rows of the product on that day. */
export interface ProductRow extends Pick<Rcd, "retailer"> {
  /** `YYYY-MM-DD`. */
  day: string;
  sku: string;
  selling_price: number;
}

const COLUMNS = ["retailer", "sku", "selling_price", "url"] as const;

const NOTHING: Awaited<ReturnType<typeof columnChunks<(typeof COLUMNS)[number]>>> = { rows: 0, columns: {} };

/**
 * The addresses of some rows of a synced folder. They are read from the files of their days, because the index of prices
 * would be twice as large with them. A file of a version without the column gives none.
 *
 * @throws FileError if a day's file is missing or was altered
 */
export async function addressesOf(
  { folder, state, signal }: { folder: string; state: SyncState; signal: AbortSignal },
  rows: readonly ProductRow[],
): Promise<(row: ProductRow) => string | undefined> {
  const addresses = new Map<string, string | undefined>(rows.map((row) => [keyOf(row), undefined]));
  for (const day of new Set(rows.map((row) => row.day))) {
    signal.throwIfAborted();
    const opened = await openDay(folder, day, state);
    try {
      const { rows: length, columns } = opened === undefined ? NOTHING : await columnChunks(opened.buffer, COLUMNS);
      const textAt = (name: "retailer" | "sku", row: number) => String(columns[name]?.[row]);
      for (let row = 0; row < length; row += 1) {
        const [retailer, sku] = [textAt("retailer", row), textAt("sku", row)];
        const key = keyOf({ day, retailer, sku, selling_price: Number(columns.selling_price?.[row]) });
        if (addresses.has(key)) {
          const url = columns.url?.[row];
          addresses.set(key, addresses.get(key) ?? (typeof url === "string" ? url : undefined));
        }
      }
    } catch (error) {
      throw notParquet(opened?.path ?? folder, error);
    } finally {
      await opened?.close();
    }
  }
  return (row) => addresses.get(keyOf(row));
}

function keyOf({ day, retailer, sku, selling_price }: ProductRow): string {
  return `${day} ${retailer} ${selling_price} ${sku}`;
}
