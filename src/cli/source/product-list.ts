import { FileError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { RowError, shown } from "../../files/content-error.ts";
import { readNamedFile, readStream } from "../../files/read-text.ts";
import type { Context } from "../context.ts";
import { type CsvLine, readCsvTable } from "./csv-table.ts";

/** A line of a user's own list of products: a basket, or the file of `--skus`. */
export interface ListedProduct {
  /** The line in the file, from 1. */
  line: number;
  /** Matched in any letter case. */
  sku: string;
  /** Undefined for all retailers with the sku. */
  retailer: string | undefined;
  /** A decimal. */
  quantity: string;
  /** A decimal; undefined if there is none. */
  targetPrice: string | undefined;
  note: string | undefined;
}

const OPTIONAL = ["retailer", "target_price", "quantity", "note"] as const;

/** Lists are often made from rows or answers of this tool. Columns of those files that are ignored. */
const IGNORED = [
  ...PRODUCT_COLUMNS,
  ...["days_old", "reference_price", "real_discount_pct", "reference_days", "reason", "target_met", ""],
];

/**
 * Reads a list of products: CSV with a header, in any order and with any separator.
 *
 * @param file a path, or `-` for standard input
 * @throws FileError naming the line and what was expected
 */
export async function readProductList(file: string, context: Context, signal: AbortSignal): Promise<ListedProduct[]> {
  const chunks = file === "-" ? readStream(context.stdin, signal) : readNamedFile(file, signal);
  return await parseProductList(chunks, nameOfList(file));
}

export function nameOfList(file: string): string {
  return file === "-" ? "the list on stdin" : file;
}

/** @param name of the list in errors */
export async function parseProductList(chunks: AsyncIterable<Uint8Array>, name: string): Promise<ListedProduct[]> {
  const products: ListedProduct[] = [];
  const seen: SeenProducts = new Map();
  const kind = "a list of products is CSV, as `catalog latest -f csv` writes it";
  const hint = "the other columns of `catalog latest` are ignored";
  const table = { name, kind, required: ["sku"], optional: OPTIONAL, ignored: IGNORED, hint };
  await readCsvTable(chunks, table, (line) => {
    const product = productOf(line);
    refuseRepeated(product, seen);
    products.push(product);
  });
  if (products.length === 0) {
    const flaw = `${name} has no products; write one line per product below the header, such as B0CHX1W1XY`;
    throw new FileError(flaw, name);
  }
  return products;
}

function productOf({ line, cell, text, refuse }: CsvLine): ListedProduct {
  const decimal = (column: string, pattern: RegExp, expected: string) => {
    const written = cell(column);
    const isRight = written === undefined || (pattern.test(written) && Number(written) > 0);
    return isRight ? written : refuse(column, written, expected);
  };
  const quantity = "a number above 0 and below 1000000 with at most three decimals, such as 2 or 0.5";
  const price = "a price above 0 and below 100000000000000 with at most four decimals, such as 19.90";
  return {
    line,
    sku: text("sku") ?? refuse("sku", "", "the sku of a product"),
    retailer: text("retailer"),
    quantity: decimal("quantity", /^\d{1,6}(\.\d{1,3})?$/, quantity) ?? "1",
    targetPrice: decimal("target_price", /^\d{1,14}(\.\d{1,4})?$/, price),
    note: text("note"),
  };
}

/** By sku and retailer. */
type SeenProducts = Map<string, Map<string | undefined, ListedProduct>>;

/** @throws RowError if an earlier line can mean the same product */
function refuseRepeated(product: ListedProduct, seen: SeenProducts): void {
  const sku = product.sku.toLowerCase();
  const earlier = seen.get(sku) ?? new Map<string | undefined, ListedProduct>();
  const [first] = earlier.values();
  const same = product.retailer === undefined ? first : (earlier.get(undefined) ?? earlier.get(product.retailer));
  if (same !== undefined) {
    throw repeatedError(product, same);
  }
  seen.set(sku, earlier.set(product.retailer, product));
}

export function repeatedError(product: ListedProduct, same: ListedProduct): RowError {
  const retailer = same.retailer === undefined ? "every retailer" : shown(same.retailer);
  const found = `${shown(JSON.stringify(product.sku))}, which line ${same.line} already lists for ${retailer}`;
  return new RowError({ line: product.line, expected: "each product once", found, hint: "keep one of the two lines" });
}
