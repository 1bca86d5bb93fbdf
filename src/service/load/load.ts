import { PRODUCT_COLUMNS, type Product } from "../../contract/product.ts";
import type { EmbeddedStore } from "../store/embedded.ts";
import { createRowWriter, type RowWriter } from "../store/rows.ts";
import { LoadError, RowError, shown } from "./errors.ts";
import { readRow, type SourceRow } from "./row.ts";
import { type LoadSource, sourceRows } from "./source.ts";

export interface LoadResult {
  /** Rows of the source. */
  read: number;
  /** Those that the database did not hold yet. */
  added: number;
  /** Those that it held already, or that came before in the same source. */
  alreadyPresent: number;
}

export interface LoadOptions {
  /** Called now and then with the rows and the bytes of the source that were read so far. */
  onProgress?: (progress: { rows: number; bytes: number }) => void;
  signal?: AbortSignal;
}

/**
 * Loads a source whole or not at all, in one transaction. A row whose `product_id` is known is not a
 * second row; the same id with other values is refused, because the id is a hash of the values.
 *
 * @throws LoadError, StoreUnavailableError, the reason of `signal`, or the error of a file that cannot be read
 */
export async function loadRows(
  database: EmbeddedStore,
  source: LoadSource,
  { onProgress, signal }: LoadOptions = {},
): Promise<LoadResult> {
  let bytes = 0;
  const batches = sourceRows(source, (length) => {
    bytes += length;
  });
  return await writeBatches(database, source.name, batches, (rows) => {
    signal?.throwIfAborted();
    onProgress?.({ rows, bytes });
  });
}

/** Loads the JSON texts of rows that this process made itself; all or nothing too. */
export async function loadTexts(database: EmbeddedStore, name: string, texts: Iterable<string>): Promise<LoadResult> {
  let line = 0;
  const rows = Array.from(texts, (text) => {
    line += 1;
    return { line, text };
  });
  return await writeBatches(database, name, [rows]);
}

async function writeBatches(
  database: EmbeddedStore,
  name: string,
  batches: AsyncIterable<SourceRow[]> | Iterable<SourceRow[]>,
  afterBatch: (rows: number) => void = () => undefined,
): Promise<LoadResult> {
  try {
    return await database.write(async (session) => {
      const writer = await createRowWriter(session);
      const result: LoadResult = { read: 0, added: 0, alreadyPresent: 0 };
      for await (const rows of batches) {
        const alreadyPresent = await addRows(writer, rows);
        result.read += rows.length;
        result.added += rows.length - alreadyPresent;
        result.alreadyPresent += alreadyPresent;
        afterBatch(result.read);
      }
      await writer.finish();
      return result;
    });
  } catch (error) {
    throw namingSource(name, error);
  }
}

/** @returns how many of the rows were known before */
async function addRows(writer: RowWriter, rows: readonly SourceRow[]): Promise<number> {
  const loaded = rows.map(readRow);
  const present = await writer.add(loaded);
  for (const [position, presentBody] of present) {
    const row = loaded[position];
    if (row !== undefined && row.body !== presentBody) {
      refuseOtherContent(rows[position]?.line ?? 0, row.product, presentBody);
    }
  }
  return present.size;
}

function refuseOtherContent(line: number, product: Product, presentBody: string): void {
  const present = JSON.parse(presentBody) as Product;
  const field = PRODUCT_COLUMNS.find((column) => product[column] !== present[column]);
  if (field !== undefined) {
    const found = shown(JSON.stringify(product[field]));
    const expected = `${shown(JSON.stringify(present[field]))} as in the row of the same product_id ${shown(product.product_id)}`;
    throw new RowError({ line, field, found, expected });
  }
}

function namingSource(name: string, error: unknown): unknown {
  if (error instanceof RowError) {
    return new LoadError(name, error.fault, error);
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("Z_") ? new LoadError(name, `is damaged gzip data (${code})`, error) : error;
}
