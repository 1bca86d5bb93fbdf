import { SetChangedError } from "../errors.ts";
import { collectDay, type Day } from "./day-rows.ts";
import { type Change, type Difference, joinDays } from "./join.ts";
import type { DiffSource } from "./source.ts";

export interface CompareOptions {
  /** The two crawl days, `YYYY-MM-DD`. */
  from: string;
  to: string;
  /** Maximum of rows of both days to read together, of several retailers (default: 200,000). */
  rowsAtOnce?: number;
  /** Called with the rows of both days once they are known. */
  onTotal?: ((rows: number) => void) | undefined;
  onRows?: ((rows: number) => void) | undefined;
}

/** Rows of each retailer on the two days. */
export type RetailerRows = ReadonlyMap<string, { from: number; to: number }>;

export interface DiffSummary {
  /** Products, each counted once. */
  products: Record<Change | "unchanged", number>;
  retailers: RetailerRows;
}

/** Reading several retailers together takes fewer requests. */
const ROWS_AT_ONCE = 200_000;

/** Differences handed on together. */
const BATCH = 500;

/**
 * Compares two crawl days, joined on retailer and sku (a sku is unique within its retailer only, contract section
 * 2.1). Differences come by retailer, then sku, whatever the order of the source.
 *
 * Memory: the needed members of the rows of both days, of one retailer or of several with at most `rowsAtOnce` rows. A
 * listing that is the same on both days is kept once. This is about 0.6 kB a row if everything differs.
 *
 * @throws SetChangedError if a day's rows changed while they were read; also everything that the source throws
 */
export async function diffDays(
  source: DiffSource,
  options: CompareOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const { rowsAtOnce = ROWS_AT_ONCE } = options;
  const retailers = await rowsOfRetailers(source, options);
  options.onTotal?.(sumOf(retailers, "from") + sumOf(retailers, "to"));
  const products = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const read = { from: 0, to: 0 };
  for (const part of partsOf(retailers, rowsAtOnce, source.retailersAtOnce)) {
    const readDay = async (which: "from" | "to", other?: Day): Promise<Day> => {
      const sink = collectDay(other);
      const before = read.from + read.to;
      read[which] += await source.read(options[which], part, sink, (rows) => options.onRows?.(before + rows));
      return sink.day();
    };
    const from = await readDay("from");
    const to = await readDay("to", from);
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

async function rowsOfRetailers(source: DiffSource, days: { from: string; to: string }): Promise<RetailerRows> {
  const retailers = new Map<string, { from: number; to: number }>();
  for (const which of ["from", "to"] as const) {
    for (const [retailer, counted] of await source.countRows(days[which])) {
      const rows = retailers.get(retailer) ?? { from: 0, to: 0 };
      retailers.set(retailer, { ...rows, [which]: counted });
    }
  }
  return new Map([...retailers].filter(([, { from, to }]) => from + to > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Divides the retailers, in order, into parts that are compared at once; undefined means all together. */
function partsOf(
  retailers: RetailerRows,
  rowsAtOnce: number,
  retailersAtOnce: number,
): (readonly string[] | undefined)[] {
  if (sumOf(retailers, "from") + sumOf(retailers, "to") <= rowsAtOnce) {
    return retailers.size === 0 ? [] : [undefined];
  }
  const parts: { names: string[]; rows: number }[] = [];
  for (const [retailer, { from, to }] of retailers) {
    const rows = from + to;
    const last = parts.at(-1);
    if (last === undefined || last.names.length === retailersAtOnce || last.rows + rows > rowsAtOnce) {
      parts.push({ names: [retailer], rows });
    } else {
      last.names.push(retailer);
      last.rows += rows;
    }
  }
  return parts.map(({ names }) => names);
}

function sumOf(retailers: RetailerRows, which: "from" | "to"): number {
  return [...retailers.values()].reduce((sum, rows) => sum + rows[which], 0);
}
