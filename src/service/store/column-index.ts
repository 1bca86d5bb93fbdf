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

/** Rows of the index that are written and read together. */
const ROWS_AT_ONCE = 65_536;

/** Memory of the sort; what does not fit is sorted in temporary files, which the driver would keep in memory, too. */
const SORT_IN_FILES = "PRAGMA temp_store = FILE; PRAGMA cache_size = -32768";

/** Reads the index in one statement, so that all its parts are of one version. */
export async function readColumnIndex(session: Session): Promise<ColumnIndex> {
  const [facts = [], ...parts] = await session.query(
    `SELECT -1 AS first, version, (
       SELECT json_group_array(json_array(retailer, department, category) ORDER BY retailer, department, category)
       FROM combination
     ), NULL FROM data_version
     UNION ALL SELECT first, ids, combinations, days FROM row_index
     ORDER BY first`,
  );
  const [, version, vocabulary] = facts;
  const triples = JSON.parse(String(vocabulary)) as [string, string, string][];
  const column = (index: number) => integers(parts.map((part) => part[index]));
  const combinations = column(2);
  return {
    version: Number(version),
    vocabulary: triples.map(([retailer, department, category]) => ({ retailer, category, department })),
    corpusRows: count(combinations, triples.length),
    ids: column(1),
    combinations,
    days: column(3),
  };
}

/** The version alone; changes with every load that changes rows. */
export async function readVersion(session: Session): Promise<number> {
  const [[version] = []] = await session.query("SELECT version FROM data_version");
  return Number(version);
}

/**
 * Writes the index anew from the rows of the same transaction, in memory that does not depend on their number. The new
 * version is also a time in milliseconds, so that a database restored from a copy never comes to a version it had before.
 */
export async function rebuildColumnIndex(session: Session): Promise<void> {
  await session.script(`
    ${SORT_IN_FILES};
    DELETE FROM row_index;
    UPDATE data_version SET version = max(version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))`);
  const insert = await session.prepare("INSERT INTO row_index VALUES (?, ?, ?, ?)");
  const sorted = await session.iterate(
    `WITH ranked AS MATERIALIZED (
       SELECT id, retailer, row_number() OVER (ORDER BY retailer, department, category) - 1 AS number FROM combination
     )
     SELECT product.id, number, day FROM product JOIN ranked ON ranked.id = combination
     ORDER BY sku, retailer, day, product_id`,
  );
  const columns = [0, 1, 2].map(() => new Uint32Array(ROWS_AT_ONCE)) as [Uint32Array, Uint32Array, Uint32Array];
  let first = 0;
  let rows = 0;
  const write = () => {
    insert([first, ...columns.map((column) => bytes(column.subarray(0, rows)))]);
    first += rows;
    rows = 0;
  };
  for (const row of sorted) {
    for (const [index, column] of columns.entries()) {
      column[rows] = Number(row[index]);
    }
    rows += 1;
    if (rows === ROWS_AT_ONCE) {
      write();
    }
  }
  write();
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

/** The integers that several blobs hold, copied into one array: a typed array must start at a multiple of four. */
function integers(blobs: readonly (SqlValue | undefined)[]): Uint32Array {
  const parts = blobs.filter((blob) => Buffer.isBuffer(blob));
  const values = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return new Uint32Array(values.buffer);
}
