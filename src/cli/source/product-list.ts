import { FileError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { ContentError, contentFlaw, RowError, shown } from "../../files/content-error.ts";
import { type CsvPart, type CsvRecord, readCsvRecords } from "../../files/csv-records.ts";
import { headerFlaw } from "../../files/header-flaw.ts";
import { readFileChunks, readStream } from "../../files/read-text.ts";
import { openContent } from "../../files/source-content.ts";
import { spreadsheetTextReader } from "../../files/spreadsheet-text.ts";
import { readLines } from "../../files/utf8-lines.ts";
import type { Context } from "../context.ts";

/** A line of a user's own list of products: a basket, or the file of `--skus`. */
export interface ListedProduct {
  /** The line in the file, from 1. */
  line: number;
  /** Compared with letter case folded. */
  sku: string;
  /** Undefined for each retailer that has the sku. */
  retailer: string | undefined;
  /** A decimal. */
  quantity: string;
  /** A decimal; undefined if there is none. */
  targetPrice: string | undefined;
  note: string | undefined;
}

const OPTIONAL = ["retailer", "target_price", "quantity", "note"] as const;

/** A list is often made from rows or answers of this tool, whose other columns say nothing about it. */
const IGNORED = [
  ...PRODUCT_COLUMNS,
  ...["days_old", "reference_price", "real_discount_pct", "reference_days", "target_met", ""],
];

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads a list of products: CSV with a header, in any order and with any separator.
 *
 * @param file a path, or `-` for standard input
 * @throws FileError naming the line and what was expected
 */
export async function readProductList(file: string, context: Context, signal: AbortSignal): Promise<ListedProduct[]> {
  const name = file === "-" ? "the list on stdin" : file;
  const chunks = file === "-" ? readStream(context.stdin, signal) : readFileChunks(file, signal);
  return await parseProductList(chunks, name);
}

/** @param name what errors call the list */
export async function parseProductList(chunks: AsyncIterable<Uint8Array>, name: string): Promise<ListedProduct[]> {
  try {
    const { kind, chunks: content } = await openContent(chunks);
    if (kind !== "text") {
      const is = { Parquet: "a Parquet file", ZIP: "an Excel file", JSON: "JSON" }[kind];
      throw new ContentError(`is ${is}; a list of products is CSV, as \`catalog latest -f csv\` writes it`);
    }
    return await listOf(bounded(content));
  } catch (error) {
    const flaw = contentFlaw(name, error);
    throw flaw === undefined ? error : new FileError(flaw, name, error);
  }
}

async function listOf(chunks: AsyncIterable<Uint8Array>): Promise<ListedProduct[]> {
  const products: ListedProduct[] = [];
  const seen = new Map<string, ListedProduct[]>();
  let read: ((record: CsvRecord) => ListedProduct) | undefined;
  for await (const part of readCsvRecords(readLines(chunks))) {
    const header = read === undefined ? part.records.shift() : undefined;
    if (header !== undefined) {
      read = lineReader(header, part);
    }
    for (const product of read === undefined ? [] : part.records.map(read)) {
      refuseRepeated(product, seen);
      products.push(product);
    }
  }
  if (read === undefined) {
    throw new RowError({ line: 1, expected: "a header with the column sku", found: "nothing" });
  }
  if (products.length === 0) {
    throw new ContentError("names no product; write a line for each below the header, such as B0CHX1W1XY");
  }
  return products;
}

function lineReader(header: CsvRecord, { isMarked }: CsvPart): (record: CsvRecord) => ListedProduct {
  const columns = header.fields.map((field) => field?.trim().toLowerCase() ?? "");
  const flaw = headerFlaw(columns, { required: ["sku"], optional: OPTIONAL, ignored: IGNORED });
  if (flaw !== undefined) {
    const expected = `the column sku and, if wanted, ${OPTIONAL.join(", ")}`;
    throw new RowError({ line: header.line, expected, found: flaw, hint: "columns of `catalog latest` are ignored" });
  }
  const textOf = spreadsheetTextReader(isMarked);
  return ({ line, fields }) => {
    if (fields.length !== columns.length) {
      throw new RowError({ line, expected: `${columns.length} fields`, found: `${fields.length}` });
    }
    const refuse = (field: string, text: string, expected: string) => {
      throw new RowError({ line, field, expected, found: shown(JSON.stringify(text)) });
    };
    const cell = (column: string) => fields[columns.indexOf(column)]?.trim() || undefined;
    const text = (column: string) => {
      const written = cell(column);
      return written && textOf(written, line, column);
    };
    const decimal = (column: string, pattern: RegExp, expected: string) => {
      const written = cell(column);
      const isRight = written === undefined || (pattern.test(written) && Number(written) > 0);
      return isRight ? written : refuse(column, written, expected);
    };
    const quantity = "a number above 0 and below 1000000 with at most three decimals, such as 2 or 0.5";
    const price = "a price above 0 with at most four decimals, such as 19.90";
    return {
      line,
      sku: text("sku") ?? refuse("sku", "", "the sku of a product"),
      retailer: text("retailer"),
      quantity: decimal("quantity", /^\d{1,6}(\.\d{1,3})?$/, quantity) ?? "1",
      targetPrice: decimal("target_price", /^\d{1,14}(\.\d{1,4})?$/, price),
      note: text("note"),
    };
  };
}

/** @throws RowError if an earlier line may mean the same product */
function refuseRepeated(product: ListedProduct, seen: Map<string, ListedProduct[]>): void {
  const sku = product.sku.toLowerCase();
  const earlier = seen.get(sku) ?? [];
  const same = earlier.find(
    ({ retailer }) => retailer === undefined || product.retailer === undefined || retailer === product.retailer,
  );
  if (same !== undefined) {
    const where = same.retailer === undefined ? "of each retailer" : `of ${shown(same.retailer)}`;
    const found = `${JSON.stringify(shown(product.sku))}, which line ${same.line} has already, ${where}`;
    throw new RowError({ line: product.line, expected: "each product once", found, hint: "write one line for both" });
  }
  seen.set(sku, [...earlier, product]);
}

async function* bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw new ContentError("is larger than 16 MiB; write a smaller list");
    }
    yield chunk;
  }
}
