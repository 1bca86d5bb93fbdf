import type { Context } from "../../cli/context.ts";
import { warnOfMissing } from "../../cli/question/own-list.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { type ListedProduct, readProductList } from "../../cli/source/product-list.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOf } from "../../rows/scan.ts";
import { OWN_ROW_COLUMNS } from "./options.ts";

/** Picks the rows of the products on a user's list out of the rows of a set. */
export interface OwnRows {
  /** The rows of listed products, with the columns that the list adds. */
  of(rows: RowBatch): RowBatch;
  /** Number of these rows so far. */
  readonly count: number;
  /** Warns about the lines of the list that match no row. */
  warnOfUnmatched(reporter: Reporter): void;
}

/** @param file the list: a path, or `-` for standard input */
export async function readOwnRows(file: string, context: Context, signal: AbortSignal): Promise<OwnRows> {
  const list = await readProductList(file, context, signal);
  const bySku = new Map<string, ListedProduct[]>();
  for (const line of list) {
    const sku = line.sku.toLowerCase();
    bySku.set(sku, [...(bySku.get(sku) ?? []), line]);
  }
  const matched = new Set<ListedProduct>();
  let count = 0;
  return {
    of: (rows) => {
      const read = (row: number, name: string) => JSON.parse(rows.raw(row, rows.column(name)) ?? "null");
      const texts: string[] = [];
      for (let row = 0; row < rows.length; row += 1) {
        const lines = bySku.get(String(read(row, "sku")).trim().toLowerCase()) ?? [];
        const line = lines.find(({ retailer = read(row, "retailer") }) => retailer === read(row, "retailer"));
        if (line !== undefined) {
          matched.add(line);
          texts.push(`${rows.text(row).slice(0, -1)},${membersOf(line, read(row, "selling_price"))}`);
        }
      }
      count += texts.length;
      return batchOf(texts, OWN_ROW_COLUMNS);
    },
    get count() {
      return count;
    },
    warnOfUnmatched: (reporter) =>
      warnOfMissing(
        list.filter((line) => !matched.has(line)),
        reporter,
      ),
  };
}

/** The members that the list adds to a product's row, as the end of its JSON object. */
function membersOf({ targetPrice, note }: ListedProduct, price: unknown): string {
  const isMet = targetPrice === undefined || typeof price !== "number" ? null : price <= Number(targetPrice);
  const target = targetPrice === undefined ? null : Number(targetPrice);
  return JSON.stringify({ target_price: target, target_met: isMet, note: note ?? null }).slice(1);
}
