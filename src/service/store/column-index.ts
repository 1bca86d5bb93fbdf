import type { Rcd } from "../../contract/filters.ts";
import type { Session, SqlValue } from "./connection.ts";

/**
 * The columns that filters need, one entry a row in the row order of the service: 12 bytes a row.
 * Stored as blobs beside the rows, so that a million rows are opened without being sorted again.
 */
export interface ColumnIndex {
  version: number;
  /** Every combination, sorted by retailer, department, category (UTF-8 bytes). */
  vocabulary: readonly Rcd[];
  /** Rows of each combination of the vocabulary. */
  corpusRows: Uint32Array;
  ids: Uint32Array;
  /** Position in the vocabulary. */
  combinations: Uint32Array;
  /** YYYYMMDD. */
  days: Uint32Array;
}

/** Reads the index in one statement, so that all its parts are of one version. */
export async function readColumnIndex(session: Session): Promise<ColumnIndex> {
  const [row = []] = await session.query(
    `SELECT version, ids, combinations, days, (
       SELECT json_group_array(json_array(retailer, department, category) ORDER BY retailer, department, category)
       FROM combination
     ) FROM row_index`,
  );
  const [version, ids, combinations, days, vocabulary] = row;
  const triples = JSON.parse(String(vocabulary)) as [string, string, string][];
  const numbers = integers(combinations);
  return {
    version: Number(version),
    vocabulary: triples.map(([retailer, department, category]) => ({ retailer, category, department })),
    corpusRows: count(numbers, triples.length),
    ids: integers(ids),
    combinations: numbers,
    days: integers(days),
  };
}

/** The version alone; changes with every load that changes rows. */
export async function readVersion(session: Session): Promise<number> {
  const [[version] = []] = await session.query("SELECT version FROM row_index");
  return Number(version);
}

/**
 * Writes the index anew from the rows of the same transaction. The new version is also a time in
 * milliseconds, so that a database restored from a copy never comes to a version it had before.
 */
export async function rebuildColumnIndex(session: Session): Promise<void> {
  const [row = []] = await session.query(
    "SELECT (SELECT count(*) FROM product), max(version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)) FROM row_index",
  );
  const [rows, version] = row.map(Number);
  const ids = new Uint32Array(rows ?? 0);
  const combinations = new Uint32Array(ids.length);
  const days = new Uint32Array(ids.length);
  const sorted = await session.iterate(
    `WITH ranked AS MATERIALIZED (
       SELECT id, retailer, row_number() OVER (ORDER BY retailer, department, category) - 1 AS number FROM combination
     )
     SELECT product.id, number, day FROM product JOIN ranked ON ranked.id = combination
     ORDER BY sku, retailer, day, product_id`,
  );
  let position = 0;
  for (const [id, number, day] of sorted) {
    ids[position] = Number(id);
    combinations[position] = Number(number);
    days[position] = Number(day);
    position += 1;
  }
  await session.query("UPDATE row_index SET version = ?, ids = ?, combinations = ?, days = ?", [
    version ?? 0,
    bytes(ids),
    bytes(combinations),
    bytes(days),
  ]);
}

function count(numbers: Uint32Array, kinds: number): Uint32Array {
  const counts = new Uint32Array(kinds);
  for (const number of numbers) {
    counts[number] = (counts[number] ?? 0) + 1;
  }
  return counts;
}

function bytes(values: Uint32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

function integers(blob: SqlValue | undefined): Uint32Array {
  if (!Buffer.isBuffer(blob)) {
    return new Uint32Array(0);
  }
  // A copy of its own, because a typed array must start at a multiple of four.
  return new Uint32Array(Uint8Array.from(blob).buffer);
}
