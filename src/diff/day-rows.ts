import type { RowSink } from "../pull/pull.ts";
import type { RowBatch } from "../rows/batch.ts";
import { type PackedListing, packListing } from "./listing.ts";

/** The listings of each product on one day. */
export type Day = ReadonlyMap<string, readonly string[]>;

/**
 * Keeps the needed members of one day's rows in memory.
 *
 * @param other the other day; equal listings are held once for both days
 */
export function collectDay(other: Day = new Map()): RowSink & { day: () => Day } {
  const slices: PackedListing[][] = [];
  let current: PackedListing[] = [];
  const pack = (rows: RowBatch, row: number): PackedListing => {
    const packed = packListing(rows, row);
    const facts = other.get(packed.product)?.find((held) => held === packed.facts);
    return facts === undefined ? packed : { product: packed.product, facts };
  };
  return {
    write: async (rows) => {
      for (let row = 0; row < rows.length; row += 1) {
        current.push(pack(rows, row));
      }
    },
    endSlice: async () => {
      slices.push(current);
      current = [];
    },
    rewind: async (kept) => {
      slices.length = kept;
      current = [];
      return true;
    },
    day: () => byProduct(slices.flat()),
  };
}

function byProduct(listings: readonly PackedListing[]): Day {
  const day = new Map<string, string[]>();
  for (const { product, facts } of listings) {
    const held = day.get(product);
    if (held === undefined) {
      day.set(product, [facts]);
    } else {
      held.push(facts);
    }
  }
  return day;
}
