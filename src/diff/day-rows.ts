import type { RowSink } from "../pull/pull.ts";
import { packRow } from "./product-facts.ts";

/** The facts of each product's rows on one day, as `packRow` packs them. */
export type DayFacts = ReadonlyMap<string, readonly string[]>;

/**
 * Keeps the needed members of one day's rows in memory.
 *
 * @param other the other day; equal facts are held once for both days
 */
export function collectDay(other: DayFacts = new Map()): RowSink & { day: () => DayFacts } {
  let day = new Map<string, string[]>();
  return {
    write: async (rows) => {
      for (let row = 0; row < rows.length; row += 1) {
        const [product, facts] = packRow(rows, row);
        const held = day.get(product) ?? [];
        held.push(other.get(product)?.find((equal) => equal === facts) ?? facts);
        day.set(product, held);
      }
    },
    restart: async () => {
      day = new Map();
      return true;
    },
    day: () => day,
  };
}
