import type { CatalogClient } from "../../client/client.ts";
import { SetChangedError } from "../../contract/errors.ts";
import type { Filters } from "../../contract/filters.ts";
import { Pull, type PullOptions } from "../../pull/pull.ts";
import { ofRetailer } from "../../pull/set-filters.ts";
import { temporaryStore } from "../../pull/store/page-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { type Change, type Difference, joinDays, SIDES, type Side } from "./join.ts";
import { type DayFacts, packRow } from "./product-facts.ts";

export interface CompareOptions extends Pick<PullOptions, "pageSize" | "concurrency" | "signal"> {
  /** The two crawl days, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Of all counts and rows; without dates. */
  filters: Filters;
  /** Maximum of rows of both days to read together, of several retailers (default: 200,000). */
  rowsAtOnce?: number;
  /** Called with the rows of both days once they are known. */
  onTotal?: ((rows: number) => void) | undefined;
  onRows?: ((rows: number) => void) | undefined;
  onRestart?: (reason: string) => void;
}

/** Rows of each retailer on the two days. */
type RetailerRows = ReadonlyMap<string, Record<Side, number>>;

export interface DiffSummary {
  /** Products, each counted once; `vanished` is null if no product can vanish, because a last known price never ends. */
  products: Record<Exclude<Change, "vanished"> | "unchanged", number> & { vanished: number | null };
  retailers: RetailerRows;
}

/** Reading several retailers together takes fewer requests. */
const TOGETHER = 200_000;

/** Differences handed on together. */
const DIFFERENCES_AT_ONCE = 500;

/**
 * Compares two crawl days of a service, joined on retailer and sku (a sku is unique within its retailer only, contract
 * section 2.1). Each day is pulled like an export: whole, checked, and replanned if it changes. Differences come by
 * retailer, then sku, whatever the order of the rows.
 *
 * Memory: the needed members of the rows of both days, of all retailers or, if these have more than `rowsAtOnce` rows, of
 * one. Facts that are the same on both days are kept once. This is about 0.6 kB a row if everything differs.
 *
 * @throws SetChangedError if a day's rows changed while they were read; also everything that a pull throws
 */
export async function diffDays(
  client: CatalogClient,
  options: CompareOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const { filters, rowsAtOnce = TOGETHER } = options;
  const retailers = await rowsOfRetailers(client, options);
  const expected = { from: rowsOn("from", retailers), to: rowsOn("to", retailers) };
  const total = expected.from + expected.to;
  options.onTotal?.(total);
  const products = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const read = { from: 0, to: 0 };
  const together = retailers.size === 0 ? [] : [filters];
  const parts = total <= rowsAtOnce ? together : [...retailers.keys()].map((one) => ofRetailer(filters, one));
  for (const part of parts) {
    const readSide = async (side: Side, other?: DayFacts): Promise<DayFacts> => {
      const sink = collectDay(other);
      const before = read.from + read.to;
      await using store = temporaryStore(true);
      const pull = new Pull(client, store, {
        ...options,
        filters: onDay(part, options[side]),
        observer: {
          onRows: (rows) => options.onRows?.(before + rows),
          onRestart: (reason) => options.onRestart?.(reason),
        },
      });
      for await (const rows of pull.rows()) {
        sink.write(rows);
      }
      read[side] += pull.result.rows;
      return sink.day();
    };
    const from = await readSide("from");
    let batch: Difference[] = [];
    for (const { change, differences } of joinDays(from, await readSide("to", from))) {
      products[change] += 1;
      batch.push(...differences);
      if (batch.length >= DIFFERENCES_AT_ONCE) {
        await onDifferences(batch);
        batch = [];
      }
    }
    await onDifferences(batch);
  }
  const changed = SIDES.find((side) => read[side] !== expected[side]);
  if (changed !== undefined) {
    throw new SetChangedError(
      `the rows of ${options[changed]} changed while they were read: ${expected[changed]} at first, then ${read[changed]}`,
    );
  }
  return { products, retailers };
}

/**
 * Keeps the needed members of one day's rows in memory.
 *
 * @param other the other day; equal facts are held once for both days
 */
export function collectDay(other: DayFacts = new Map()): { write: (rows: RowBatch) => void; day: () => DayFacts } {
  const day = new Map<string, string[]>();
  return {
    write: (rows) => {
      for (let row = 0; row < rows.length; row += 1) {
        const [product, facts] = packRow(rows, row);
        const held = day.get(product) ?? [];
        held.push(other.get(product)?.find((equal) => equal === facts) ?? facts);
        day.set(product, held);
      }
    },
    day: () => day,
  };
}

/** The retailers that have rows, in order. */
async function rowsOfRetailers(client: CatalogClient, options: CompareOptions): Promise<RetailerRows> {
  const retailers = new Map<string, Record<Side, number>>();
  for (const side of SIDES) {
    const { data } = await client.coverage(onDay(options.filters, options[side]), options.signal);
    for (const { retailer, matching_rows } of data.filter((entry) => entry.matching_rows > 0)) {
      const rows = retailers.get(retailer) ?? { from: 0, to: 0 };
      retailers.set(retailer, { ...rows, [side]: rows[side] + matching_rows });
    }
  }
  return new Map([...retailers].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function onDay(filters: Filters, day: string): Filters {
  return { ...filters, start_date: day, end_date: day };
}

function rowsOn(side: Side, retailers: RetailerRows): number {
  return [...retailers.values()].reduce((sum, rows) => sum + rows[side], 0);
}
