import type { Session, SqlValue } from "../database/database-connection.ts";
import type { DayRange } from "./row-counts.ts";

/** Rows of one version of the data. */
export interface RowSet {
  version: number;
  days: DayRange;
  /** Ids of the combinations of the set, as a JSON array. Undefined if it has all rows of these days. */
  combinations: string | undefined;
}

/** A place in the row order of the service. */
export interface RowPosition {
  /** Rows of the set before the place. */
  offset: number;
  /** Id of the last of these rows, if it is known. */
  after: number | undefined;
}

const ROW_ORDER = "sku, retailer, day, product_id";

/**
 * Reads the next ids of a set, along the row order of all rows. The cost depends on the share of the rows that belong to
 * the set, and without `after` also on the offset.
 */
export async function readNextIds(session: Session, set: RowSet, { offset, after }: RowPosition, limit: number) {
  const { sql, parameters } = conditions(set);
  const isLater = after === undefined ? "" : `AND (${ROW_ORDER}) > (SELECT ${ROW_ORDER} FROM product WHERE id = ?)`;
  return await readIds(
    session,
    `SELECT id FROM product INDEXED BY product_order WHERE ${sql} ${isLater} ORDER BY ${ROW_ORDER} LIMIT ? OFFSET ?`,
    after === undefined ? [...parameters, limit, offset] : [...parameters, after, limit, 0],
  );
}

/** Reads all ids of a set, in the row order of the service. The cost depends on the size of the set. */
export async function readAllIds(session: Session, set: RowSet): Promise<number[]> {
  const { sql, parameters } = conditions(set);
  const index = set.combinations === undefined ? "product_order" : "product_place";
  return await readIds(
    session,
    `SELECT id FROM product INDEXED BY ${index} WHERE ${sql} ORDER BY ${ROW_ORDER} LIMIT -1`,
    parameters,
  );
}

/** Reads the ids at these offsets of a set, ascending. The cost depends on the number of all rows. */
export async function readIdsAt(session: Session, set: RowSet, offsets: readonly number[]): Promise<number[]> {
  const { sql, parameters } = conditions(set);
  return await readIds(
    session,
    `SELECT id FROM (
       SELECT id, row_number() OVER (ORDER BY ${ROW_ORDER}) - 1 AS offset FROM product INDEXED BY product_order WHERE ${sql}
     ) WHERE offset IN (SELECT value FROM json_each(?)) ORDER BY offset LIMIT -1`,
    [...parameters, JSON.stringify(offsets)],
  );
}

function conditions({ version, days, combinations }: RowSet): { sql: string; parameters: SqlValue[] } {
  const isPresent = "added <= ? AND (removed IS NULL OR removed > ?) AND day BETWEEN ? AND ?";
  const parameters = [version, version, ...days];
  return combinations === undefined
    ? { sql: isPresent, parameters }
    : {
        sql: `${isPresent} AND combination IN (SELECT value FROM json_each(?))`,
        parameters: [...parameters, combinations],
      };
}

/** As one value, so that the database computes all ids outside the event loop. */
async function readIds(session: Session, select: string, parameters: readonly SqlValue[]): Promise<number[]> {
  const [[ids] = []] = await session.query(`SELECT json_group_array(id) FROM (${select})`, parameters);
  return JSON.parse(String(ids)) as number[];
}
