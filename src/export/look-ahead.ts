import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { onOneLine } from "../contract/raw-json.ts";

const compress = promisify(deflate);
const expand = promisify(inflate);

/** Compression level of held pages: rows shrink to about a sixth at the cost of a few milliseconds a page. */
const LEVEL = 1;

/** A page of rows, either as it is or compressed while it waits for its turn. */
export type HeldPage = { rows: readonly string[] } | { packed: Buffer };

/** Compresses a page that has to wait. Each row is put on one line, so that a line end parts them. */
export async function hold(rows: readonly string[]): Promise<{ packed: Buffer }> {
  return { packed: await compress(rows.map(onOneLine).join("\n"), { level: LEVEL }) };
}

/** The rows of a page that waited. */
export async function release(page: HeldPage): Promise<readonly string[]> {
  return "rows" in page ? page.rows : (await expand(page.packed)).toString("utf8").split("\n");
}
