import { SetChangedError } from "../errors.ts";
import type { RowSink } from "../pull/pull.ts";
import { collectDay, type DayFacts } from "./day-rows.ts";
import { type Change, type Difference, joinDays, SIDES, type Side } from "./join.ts";

/** The source of rows for a comparison of two crawl days. Filters apply to all counts and rows. */
export interface DiffSource {
  /** Maximum of retailers in one call of `read`. */
  retailersAtOnce: number;
  /** Rows of retailers on a day. One without rows may be absent, and one that is named several times has the sum. */
  countRows(day: string): Promise<Iterable<readonly [retailer: string, rows: number]>>;
  /**
   * Passes the rows of a day to the sink, each with at least the members that a comparison needs.
   *
   * @param retailers only the rows of these, at most `retailersAtOnce`; undefined for all
   * @param onRows called with the number of rows so far
   * @returns the number of rows
   */
  read(
    day: string,
    retailers: readonly string[] | undefined,
    sink: RowSink,
    onRows: (rows: number) => void,
  ): Promise<number>;
}

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
 * Compares two crawl days, joined on retailer and sku (a sku is unique within its retailer only, contract section
 * 2.1). Differences come by retailer, then sku, whatever the order of the source.
 *
 * Memory: the needed members of the rows of both days, of one retailer or of several with at most `rowsAtOnce` rows.
 * Facts that are the same on both days are kept once. This is about 0.6 kB a row if everything differs.
 *
 * @throws SetChangedError if a day's rows changed while they were read; also everything that the source throws
 */
export async function diffDays(
  source: DiffSource,
  options: CompareOptions,
  onDifferences: (differences: readonly Difference[]) => Promise<void>,
): Promise<DiffSummary> {
  const retailers = await rowsOfRetailers(source, options);
  const expected = { from: rowsOn("from", retailers), to: rowsOn("to", retailers) };
  options.onTotal?.(expected.from + expected.to);
  const products = { changed: 0, appeared: 0, vanished: 0, unchanged: 0 };
  const read = { from: 0, to: 0 };
  for (const part of partsOf(retailers, options.rowsAtOnce ?? TOGETHER, source.retailersAtOnce)) {
    const readSide = async (side: Side, other?: DayFacts): Promise<DayFacts> => {
      const sink = collectDay(other);
      const before = read.from + read.to;
      read[side] += await source.read(options[side], part, sink, (rows) => options.onRows?.(before + rows));
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

async function rowsOfRetailers(source: DiffSource, days: Record<Side, string>): Promise<RetailerRows> {
  const retailers = new Map<string, Record<Side, number>>();
  for (const side of SIDES) {
    for (const [retailer, counted] of await source.countRows(days[side])) {
      const rows = retailers.get(retailer) ?? { from: 0, to: 0 };
      retailers.set(retailer, { ...rows, [side]: rows[side] + counted });
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
  if (rowsOn("from", retailers) + rowsOn("to", retailers) <= rowsAtOnce) {
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

function rowsOn(side: Side, retailers: RetailerRows): number {
  return [...retailers.values()].reduce((sum, rows) => sum + rows[side], 0);
}
