import type { Session, SqlParameter } from "../database/database-session.ts";
import type { DayNumbers } from "./row-counts.ts";

/** Rows of one version of the data. */
export interface RowSet {
  version: number;
  days: DayNumbers;
  /** Ids of the combinations of the set. They may be undefined if it has all rows of these days. */
  combinations: readonly number[] | undefined;
  /** Whether to find its rows by their combinations and days and sort them costs less than to go through all rows in order. */
  isSorted: boolean;
}

/** Where a page of a set is, in the row order of the service. */
export interface RowPosition {
  /** Rows of the set before the page. */
  offset: number;
  /** Id of the last of these rows, if it is known. */
  after: number | undefined;
  /** Rows of the set behind the page. */
  following: number;
}

/** The limit of a query for all rows; without a limit, SQLite does not sort the rows of an inner query. */
const ALL = Number.MAX_SAFE_INTEGER;

const PRESENT = "added <= ? AND (removed IS NULL OR removed > ?)";

const ROW_ORDER = "sku, retailer, day, product_id";
const REVERSED_ORDER = "sku DESC, retailer DESC, day DESC, product_id DESC";

/**
 * Reads the ids of a page, along the row order of all rows. The cost depends on the share of the rows that belong to the
 * set, and without `after` also on the distance to the nearer end of the set.
 */
export async function readPageIds(session: Session, set: RowSet, position: RowPosition, limit: number) {
  const { offset, after, following } = position;
  const { sql, parameters } = conditions(session, set);
  const page = (later: string, order: string) =>
    `SELECT id FROM product ${session.dialect.by("product_order")} WHERE ${sql} ${later} ORDER BY ${order} LIMIT ? OFFSET ?`;
  if (after === undefined) {
    const isForward = offset <= following;
    const select = page("", isForward ? ROW_ORDER : REVERSED_ORDER);
    const ids = await readIds(session, select, [...parameters, limit, Math.min(offset, following)]);
    return isForward ? ids : ids.reverse();
  }
  const last = (columns: string) => `(SELECT ${columns} FROM product WHERE id = ?)`;
  // A comparison of rows is not sent to another server (docs/scale.md); that of their first column is.
  const isLater = `AND sku >= ${last("sku")} AND (${ROW_ORDER}) > ${last(ROW_ORDER)}`;
  return await readIds(session, page(isLater, ROW_ORDER), [...parameters, after, after, limit, 0]);
}

/**
 * Reads all ids of a set, in the row order of the service. The cost depends on the size of the set if it is sorted, and
 * otherwise on the number of all rows.
 */
export async function readAllIds(session: Session, set: RowSet): Promise<number[]> {
  const { sql, parameters } = conditions(session, set);
  const index = set.isSorted ? "product_place" : "product_order";
  return await readIds(
    session,
    `SELECT id FROM product ${session.dialect.by(index)} WHERE ${sql} ORDER BY ${ROW_ORDER} LIMIT ${ALL}`,
    parameters,
  );
}

/**
 * Reads `most` ids of a set of `total` rows, at even distances in the order of combinations and days, and in the row order of
 * the service. The cost depends on the number of combinations and days, and on the rows that one has on the other.
 */
export async function readSpreadIds(session: Session, set: RowSet, total: number, most: number): Promise<number[]> {
  const { by, isListed } = session.dialect;
  const ids: number[] = [];
  for (const [combination, day, before, present] of await readSampledCells(session, set, total, most)) {
    for (let index = firstFrom(before); index < firstFrom(before + present); index += 1) {
      const [row] = await session.query(
        `SELECT id FROM product ${by("product_place")} WHERE combination = ? AND day = ? AND ${PRESENT}
         ORDER BY sku, retailer, product_id LIMIT 1 OFFSET ?`,
        [combination, day, set.version, set.version, Math.floor((index * total) / most) - before],
      );
      ids.push(...(row ?? []).map(Number));
    }
  }
  return await readIds(session, `SELECT id FROM product WHERE ${isListed("id")} ORDER BY ${ROW_ORDER} LIMIT ${ALL}`, [
    ids,
  ]);

  /** The first of the distances whose row is at this place or a later one. */
  function firstFrom(place: number): number {
    return Math.ceil((place * most) / total);
  }
}

/**
 * The cells of a set that have at least one of `most` rows at even distances: a combination, a day, the rows of the set in the
 * cells before it, and its own rows.
 */
async function readSampledCells(session: Session, set: RowSet, total: number, most: number) {
  const { version, days, combinations } = set;
  const isWanted = combinations === undefined ? "" : `AND ${session.dialect.isListed("combination")}`;
  const firstFrom = (place: string) => `(${place} * CAST(? AS BIGINT) + ? - 1) / ?`;
  return (await session.query(
    `SELECT combination, day, before, present FROM (
       SELECT combination, day, present, CAST(sum(present) OVER (ORDER BY combination, day) - present AS BIGINT) AS before
       FROM (
         SELECT combination, day, CAST(sum(rows) AS BIGINT) AS present FROM row_count
         WHERE version <= ? AND day BETWEEN ? AND ? ${isWanted} GROUP BY combination, day HAVING sum(rows) <> 0
       ) AS cell
     ) AS placed WHERE ${firstFrom("before")} < ${firstFrom("(before + present)")}`,
    [version, ...days, ...(combinations === undefined ? [] : [combinations]), most, total, total, most, total, total],
  )) as [combination: number, day: number, before: number, present: number][];
}

function conditions(
  { dialect }: Session,
  { version, days, combinations }: RowSet,
): { sql: string; parameters: SqlParameter[] } {
  const isPresent = `${PRESENT} AND day BETWEEN ? AND ?`;
  const parameters = [version, version, ...days];
  return combinations === undefined
    ? { sql: isPresent, parameters }
    : { sql: `${isPresent} AND ${dialect.isListed("combination")}`, parameters: [...parameters, combinations] };
}

/** As one value, so that the database computes all ids outside the event loop. */
async function readIds(session: Session, select: string, parameters: readonly SqlParameter[]): Promise<number[]> {
  const [[ids] = []] = await session.query(
    `SELECT ${session.dialect.jsonArray("id")} FROM (${select}) AS found`,
    parameters,
  );
  return JSON.parse(String(ids)) as number[];
}
