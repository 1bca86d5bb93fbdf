import { crc32 } from "node:zlib";
import type { Rcd } from "../../../contract/filters.ts";
import type { Session } from "../database/database-connection.ts";
import { DamagedDataError } from "../store.ts";
import { blobOf } from "./row-texts.ts";

/**
 * The columns that filters need, with one entry per row, in the row order of the service: 12 bytes per row. They are
 * stored as blobs, so that a million rows need not be sorted again when the database is opened.
 */
export interface ColumnIndex {
  version: number;
  /** By version. Its rows are those with ids up to `lastId`: loads only add rows, with ids above all earlier ones. */
  extents: ReadonlyMap<number, { lastId: number; rows: number }>;
  /** All combinations, sorted by retailer, department, category (UTF-8 bytes). */
  vocabulary: readonly Rcd[];
  ids: Uint32Array;
  /** Positions in the vocabulary. */
  combinations: Uint32Array;
  /** YYYYMMDD. */
  days: Uint32Array;
}

/** Rows per stored part of the index. */
const ROWS_AT_ONCE = 65_536;

/** Reads the index in one statement, so that all parts are of the same version. @throws DamagedDataError */
export async function readColumnIndex(session: Session): Promise<ColumnIndex> {
  const [facts = [], ...parts] = await session.query(
    `SELECT -1 AS first, version, CAST((
       SELECT json_group_array(json_array(retailer, department, category) ORDER BY retailer, department, category)
       FROM combination
     ) AS BLOB), CAST((SELECT json_group_array(json_array(version, last_id, rows)) FROM row_version) AS BLOB), NULL
     FROM data_version
     UNION ALL SELECT first, ids, combinations, days, sum FROM row_index
     ORDER BY first`,
  );
  const [, version, vocabulary, versions] = facts;
  for (const [, ids, combinations, days, sum] of parts) {
    if (sumOf(blobOf(ids), blobOf(combinations), blobOf(days)) !== sum) {
      throw new DamagedDataError("the row index in the database is damaged");
    }
  }
  const triples = jsonOf(blobOf(vocabulary)) as [string, string, string][];
  const extents = jsonOf(blobOf(versions)) as [version: number, lastId: number, rows: number][];
  const column = (index: number) => integers(parts.map((part) => blobOf(part[index])));
  return {
    version: Number(version),
    extents: new Map(extents.map(([number, lastId, rows]) => [number, { lastId, rows }])),
    vocabulary: triples.map(([retailer, department, category]) => ({ retailer, category, department })),
    ids: column(1),
    combinations: column(2),
    days: column(3),
  };
}

/** The version, which changes with each load that adds rows. */
export async function readVersion(session: Session): Promise<number> {
  const [[version] = []] = await session.query("SELECT version FROM data_version");
  return Number(version);
}

/**
 * Rebuilds the index from the rows, as part of the current transaction. The memory does not grow with the number of
 * rows. The new version is at least the time in milliseconds, so that a database restored from a copy never repeats a
 * version.
 */
export async function rebuildColumnIndex(session: Session): Promise<void> {
  await session.script(`
    DELETE FROM row_index;
    UPDATE data_version SET version = max(version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))`);
  const insert = await session.prepare("INSERT INTO row_index VALUES (?, ?, ?, ?, ?)");
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
    const blobs = columns.map((column) => bytes(column.subarray(0, rows)));
    insert([first, ...blobs, sumOf(...blobs)]);
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
  await session.query(
    "INSERT INTO row_version SELECT version, (SELECT coalesce(max(id), 0) FROM product), ? FROM data_version",
    [first],
  );
}

function sumOf(...blobs: readonly Buffer[]): number {
  return blobs.reduce((sum, blob) => crc32(blob, sum), 0);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new DamagedDataError("the vocabulary in the database is damaged", { cause: error });
  }
}

function bytes(values: Uint32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** The integers of several blobs, copied because a typed array must start at a multiple of four bytes. */
function integers(parts: readonly Buffer[]): Uint32Array {
  return new Uint32Array(new Uint8Array(Buffer.concat(parts)).buffer);
}
