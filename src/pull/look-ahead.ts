import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { onOneLine } from "../contract/raw-json.ts";

const compress = promisify(deflate);
const expand = promisify(inflate);

/** Compression level of held pages: rows shrink to about a sixth at the cost of a few milliseconds a page. */
const LEVEL = 1;

/** Bytes to expand at once: most pages come in one piece, so that no others are left for the collector. */
const CHUNK = 512 * 1024;

/** A page of rows, either as it is or compressed while it waits for its turn. */
export type HeldPage = { rows: readonly string[] } | { packed: Buffer };

/**
 * Compresses a page that has to wait, and empties `rows`: they are parts of one long text, which would stay in memory
 * for as long as the walk that they came from keeps the page. Each row is put on one line, so that a line end parts them.
 */
export async function hold(rows: string[]): Promise<{ packed: Buffer }> {
  const text = Buffer.from(rows.map(onOneLine).join("\n"));
  rows.length = 0;
  return { packed: await compress(text, { level: LEVEL }) };
}

/** The rows of a page that waited. */
export async function release(page: HeldPage): Promise<readonly string[]> {
  return "rows" in page ? page.rows : (await expand(page.packed, { chunkSize: CHUNK })).toString("utf8").split("\n");
}
