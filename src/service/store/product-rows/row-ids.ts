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

/**
 * Reads ids that are spread over the combinations and days of a set.
 *
 * @param offsets ascending, in the order of combinations and days
 */
export async function readSpreadIds(session: Session, set: RowSet, offsets: readonly number[]): Promise<number[]> {
  const { version, days, combinations } = set;
  const isWanted = combinations === undefined ? "" : "AND combination IN (SELECT value FROM json_each(?))";
  const [[counted] = []] = await session.query(
    `SELECT json_group_array(json_array(combination, day, present)) FROM (
       SELECT combination, day, sum(rows) AS present FROM row_count
       WHERE version <= ? AND day BETWEEN ? AND ? ${isWanted}
       GROUP BY combination, day HAVING sum(rows) <> 0 ORDER BY combination, day LIMIT -1
     )`,
    [version, ...days, ...(combinations === undefined ? [] : [combinations])],
  );
  const picked: [combination: number, day: number, number: number][] = [];
  let before = 0;
  for (const [combination, day, present] of JSON.parse(String(counted)) as typeof picked) {
    for (const offset of offsets.slice(picked.length)) {
      if (offset >= before + present) {
        break;
      }
      picked.push([combination, day, offset - before + 1]);
    }
    before += present;
  }
  const { sql, parameters } = conditions({ ...set, combinations: undefined });
  return await readIds(
    session,
    `SELECT (
       SELECT id FROM (
         SELECT id, row_number() OVER (ORDER BY ${ROW_ORDER}) AS number FROM product INDEXED BY product_place
         WHERE ${sql} AND combination = value ->> 0 AND day = value ->> 1
       ) WHERE number = value ->> 2
     ) AS id
     FROM json_each(?) LIMIT -1`,
    [...parameters, JSON.stringify(picked)],
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
  const [[ids] = []] = await session.query(
    `SELECT json_group_array(id) FROM (${select}) WHERE id IS NOT NULL`,
    parameters,
  );
  return JSON.parse(String(ids)) as number[];
}
