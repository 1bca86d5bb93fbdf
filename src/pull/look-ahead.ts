import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { RowBatch } from "../rows/batch.ts";
import { scanLines } from "../rows/scan.ts";

const compress = promisify(deflate);
const expand = promisify(inflate);

/** Compression level of held pages: rows shrink to about a sixth at the cost of a few milliseconds a page. */
const LEVEL = 1;

/** Bytes to expand at once: most pages come in one piece, so that no others are left for the collector. */
const CHUNK = 512 * 1024;

/** A page of rows, either as it is or compressed while it waits for its turn. */
export type HeldPage = { rows: RowBatch } | { packed: Buffer };

/**
 * Compresses a page that has to wait, and clears `rows`: their bytes would stay in memory for as long as the walk that
 * they came from keeps the page.
 */
export async function hold(rows: RowBatch): Promise<{ packed: Buffer }> {
  const lines = rows.lines();
  rows.clear();
  return { packed: await compress(lines, { level: LEVEL }) };
}

/** The rows of a page that waited. */
export async function release(page: HeldPage): Promise<RowBatch> {
  return "rows" in page ? page.rows : scanLines(await expand(page.packed, { chunkSize: CHUNK }));
}
