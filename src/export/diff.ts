import type { CatalogClient } from "../api/client.ts";
import type { Filters } from "../contract/filters.ts";
import { SetChangedError } from "../errors.ts";
import { collectDay, type Day } from "./diff-day.ts";
import { type Change, type Difference, joinDays } from "./diff-join.ts";
import { pull } from "./pull.ts";

export interface DiffOptions {
  /** Without dates. */
  filters: Filters;
  /** The two crawl days, `YYYY-MM-DD`. */
  from: string;
  to: string;
  pageSize: number;
  concurrency: number;
  signal: AbortSignal;
  /** Rows of both days up to which all retailers are read together (default: 200,000). */
  rowsAtOnce?: number;
  /** Told the rows of both days once they are known, and the rows read as they come. */
  onTotal?: ((rows: number) => void) | undefined;
  onRows?: ((rows: number) => void) | undefined;
  onRestart?: ((reason: string) => void) | undefined;
}

/** Rows of each retailer on the two days. */
export type RetailerRows = ReadonlyMap<string, { from: number; to: number }>;

export interface DiffSummary {
  /** Products, each counted once. */
  products: Record<Change | "unchanged", number>;
  retailers: RetailerRows;
}

/** Read together, retailers take fewer requests than one after another. */
const ROWS_AT_ONCE = 200_000;

/** Differences handed on together. */
const BATCH = 500;

/**
 * Compares two crawl days, joined on retailer and sku (a sku is unique within its retailer only, contract section
 * 2.1). Differences come by retailer, then sku, whatever the order of the service.
 *
 * Memory: the listings of both days, cut down, of one retailer, or of all where they are `rowsAtOnce` rows or fewer; a
 * listing that is the same on both days is held once. That is about 0.6 kB a row where everything differs.
 *
 * @throws SetChangedError where a day's rows changed while they were read, besides what `pull` throws
 */
export async function diffDays(
  client: CatalogClient,
  options: DiffOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const retailers = await rowsOfRetailers(client, options);
  const total = sumOf(retailers, "from") + sumOf(retailers, "to");
  options.onTotal?.(total);
  const products = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const read = { from: 0, to: 0 };
  for (const filters of partsOf(options, retailers, total)) {
    const pullDay = async (which: "from" | "to", other?: Day): Promise<Day> => {
      const sink = collectDay(other);
      const before = read.from + read.to;
      const { rows } = await pull(client, sink, {
        ...options,
        filters: onDay(filters, options[which]),
        observer: {
          onRows: (rows) => options.onRows?.(before + rows),
          onRestart: (reason) => options.onRestart?.(reason),
        },
      });
      read[which] += rows;
      return sink.day();
    };
    const from = await pullDay("from");
    const to = await pullDay("to", from);
    await compare(from, to, products, onDifferences);
  }
  for (const which of ["from", "to"] as const) {
    const expected = sumOf(retailers, which);
    if (read[which] !== expected) {
      throw new SetChangedError(
        `the rows of ${options[which]} changed while they were read: ${expected} at first, then ${read[which]}`,
      );
    }
  }
  return { products, retailers };
}

async function compare(
  from: Day,
  to: Day,
  products: DiffSummary["products"],
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<void> {
  let batch: Difference[] = [];
  for (const { change, differences } of joinDays(from, to)) {
    products[change] += 1;
    batch.push(...differences);
    if (batch.length >= BATCH) {
      await onDifferences(batch);
      batch = [];
    }
  }
  await onDifferences(batch);
}

async function rowsOfRetailers(
  client: CatalogClient,
  { filters, from, to, signal }: DiffOptions,
): Promise<RetailerRows> {
  const retailers = new Map<string, { from: number; to: number }>();
  for (const [which, day] of [
    ["from", from],
    ["to", to],
  ] as const) {
    const { data } = await client.coverage(onDay(filters, day), signal);
    for (const { retailer, matching_rows } of data.filter((entry) => entry.matching_rows > 0)) {
      const rows = retailers.get(retailer) ?? { from: 0, to: 0 };
      rows[which] += matching_rows;
      retailers.set(retailer, rows);
    }
  }
  return new Map([...retailers].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The filters of what is compared at a time: together they match what `filters` match, no retailer in two of them. */
function partsOf(
  { filters, rowsAtOnce = ROWS_AT_ONCE }: DiffOptions,
  retailers: RetailerRows,
  total: number,
): Filters[] {
  if (total <= rowsAtOnce) {
    return total === 0 ? [] : [filters];
  }
  const { rcd, ...others } = filters;
  return [...retailers.keys()].map((retailer) =>
    rcd === undefined
      ? { ...others, retailer }
      : {
          rcd: rcd
            .split(",")
            .filter((triple) => triple.startsWith(`${retailer}:`))
            .join(","),
        },
  );
}

function onDay(filters: Filters, day: string): Filters {
  return { ...filters, start_date: day, end_date: day };
}

function sumOf(retailers: RetailerRows, which: "from" | "to"): number {
  return [...retailers.values()].reduce((sum, rows) => sum + rows[which], 0);
}
