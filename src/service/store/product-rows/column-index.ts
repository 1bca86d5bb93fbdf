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
  extents: ReadonlyMap<number, VersionExtent>;
  /** All combinations, sorted by retailer, department, category (UTF-8 bytes). */
  vocabulary: readonly Rcd[];
  ids: Uint32Array;
  /** Positions in the vocabulary. */
  combinations: Uint32Array;
  /** YYYYMMDD. */
  days: Uint32Array;
  /** Place of the first version without the row, `NEVER` for a row of the newest version. Empty if no row was removed. */
  removals: Uint32Array;
}

/**
 * The rows of a version: those with ids up to `lastId`, because added rows have ids above all earlier ones, and with a
 * removal after `place`.
 */
export interface VersionExtent {
  lastId: number;
  /** Place of the version among all versions in their order. */
  place: number;
  /** Number of its rows. */
  rows: number;
}

/** In `ColumnIndex.removals`: the row was not removed. */
const NEVER = 2 ** 32 - 1;

/** Milliseconds for which removed rows are kept, so that walks can end in the version in which they began. */
const KEPT_TIME = 24 * 60 * 60 * 1000;

const NO_VALUES = new Uint32Array();

/** Rows per stored part of the index. */
const ROWS_AT_ONCE = 65_536;

/** Reads the index in one statement, so that all parts are of the same version. @throws DamagedDataError */
export async function readColumnIndex(session: Session): Promise<ColumnIndex> {
  const [facts = [], ...parts] = await session.query(
    `SELECT -1 AS first, version, CAST((
       SELECT json_group_array(json_array(retailer, department, category) ORDER BY retailer, department, category)
       FROM combination
     ) AS BLOB), CAST((SELECT json_group_array(json_array(version, last_id, rows) ORDER BY version) FROM row_version) AS BLOB), NULL, NULL
     FROM data_version
     UNION ALL SELECT first, ids, combinations, days, removals, sum FROM row_index
     ORDER BY first`,
  );
  const [, version, vocabulary, versions] = facts;
  for (const [, ids, combinations, days, removals, sum] of parts) {
    if (sumOf(blobOf(ids), blobOf(combinations), blobOf(days), blobOf(removals)) !== sum) {
      throw new DamagedDataError("the row index in the database is damaged");
    }
  }
  const triples = jsonOf(blobOf(vocabulary)) as [string, string, string][];
  const extents = jsonOf(blobOf(versions)) as [version: number, lastId: number, rows: number][];
  const column = (index: number) => integers(parts.map((part) => blobOf(part[index])));
  return {
    version: Number(version),
    extents: new Map(extents.map(([number, lastId, rows], place) => [number, { lastId, place, rows }])),
    vocabulary: triples.map(([retailer, department, category]) => ({ retailer, category, department })),
    ids: column(1),
    combinations: column(2),
    days: column(3),
    removals: column(4),
  };
}

/** The version, which changes with each load that adds rows and each removal. */
export async function readVersion(session: Session): Promise<number> {
  const [[version] = []] = await session.query("SELECT version FROM data_version");
  return Number(version);
}

/**
 * Writes the next version of the data, as part of the current transaction: makes the changes, then rebuilds the index. The
 * memory does not grow with the number of rows. The new version is at least the time in milliseconds, so that a database
 * restored from a copy never repeats a version.
 *
 * @param change adds rows to `product` or moves rows to `removed_row`
 */
export async function writeNextVersion(session: Session, change: () => Promise<void> = async () => {}): Promise<void> {
  await session.script(`
    UPDATE data_version SET version = max(version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
    DELETE FROM removed_row WHERE version < (SELECT version FROM data_version) - ${KEPT_TIME}`);
  await change();
  const rows = await rebuildColumnIndex(session);
  await session.query(
    "INSERT INTO row_version SELECT version, (SELECT coalesce(max(id), 0) FROM product), ? FROM data_version",
    [rows],
  );
}

/** Resolves to the number of rows in the newest version. */
async function rebuildColumnIndex(session: Session): Promise<number> {
  const versions = await session.query("SELECT version FROM row_version UNION SELECT version FROM data_version");
  const places = new Map(versions.map(([version], place) => [version, place]));
  const [[hasRemovals] = []] = await session.query("SELECT EXISTS (SELECT 1 FROM removed_row)");
  await session.script("DELETE FROM row_index");
  const insert = await session.prepare("INSERT INTO row_index VALUES (?, ?, ?, ?, ?, ?)");
  const sorted = await session.iterate(
    `WITH ranked AS MATERIALIZED (
       SELECT id, retailer, row_number() OVER (ORDER BY retailer, department, category) - 1 AS number FROM combination
     ), stored AS (
       SELECT id, product_id, sku, combination, day, NULL AS version FROM product
       UNION ALL SELECT id, product_id, sku, combination, day, version FROM removed_row
     )
     SELECT stored.id, number, day, version FROM stored JOIN ranked ON ranked.id = combination
     ORDER BY sku, retailer, day, product_id, stored.id`,
  );
  const columns = Array.from({ length: 4 }, () => new Uint32Array(ROWS_AT_ONCE));
  const [ids = NO_VALUES, combinations = NO_VALUES, days = NO_VALUES, removals = NO_VALUES] = columns;
  let [first, filled, present] = [0, 0, 0];
  const write = () => {
    const blobs = columns.map((column) => bytes(column.subarray(0, column === removals && !hasRemovals ? 0 : filled)));
    insert([first, ...blobs, sumOf(...blobs)]);
    first += filled;
    filled = 0;
  };
  for (const [id, number, day, version = null] of sorted) {
    ids[filled] = Number(id);
    combinations[filled] = Number(number);
    days[filled] = Number(day);
    removals[filled] = version === null ? NEVER : (places.get(version) ?? 0);
    present += version === null ? 1 : 0;
    filled += 1;
    if (filled === ROWS_AT_ONCE) {
      write();
    }
  }
  write();
  return present;
}

function sumOf(...blobs: readonly Buffer[]): number {
  // zlib takes an empty buffer for the wish to begin anew.
  return blobs.reduce((sum, blob) => (blob.length === 0 ? sum : crc32(blob, sum)), 0);
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
