import type { Session, SqlParameter } from "../database/session.ts";
import type { DayRange } from "./row-counts.ts";

/** Rows of one version of the data. */
export interface RowSet {
  version: number;
  days: DayRange;
  /** Ids of the combinations of the set. Undefined if it has all rows of these days. */
  combinations: readonly number[] | undefined;
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

/** Reads all ids of a set, in the row order of the service. The cost depends on the size of the set. */
export async function readAllIds(session: Session, set: RowSet): Promise<number[]> {
  const { sql, parameters } = conditions(session, set);
  const index = set.combinations === undefined ? "product_order" : "product_place";
  return await readIds(
    session,
    `SELECT id FROM product ${session.dialect.by(index)} WHERE ${sql} ORDER BY ${ROW_ORDER} LIMIT ${ALL}`,
    parameters,
  );
}

/** Reads the ids at these offsets of a set, ascending. The cost depends on the number of all rows. */
export async function readIdsAt(session: Session, set: RowSet, offsets: readonly number[]): Promise<number[]> {
  const { sql, parameters } = conditions(session, set);
  const { by, isListed } = session.dialect;
  return await readIds(
    session,
    `SELECT id FROM (
       SELECT id, row_number() OVER (ORDER BY ${ROW_ORDER}) - 1 AS place FROM product ${by("product_order")} WHERE ${sql}
     ) AS placed WHERE ${isListed("place")} ORDER BY place LIMIT ${ALL}`,
    [...parameters, offsets],
  );
}

function conditions(
  { dialect }: Session,
  { version, days, combinations }: RowSet,
): { sql: string; parameters: SqlParameter[] } {
  const isPresent = "added <= ? AND (removed IS NULL OR removed > ?) AND day BETWEEN ? AND ?";
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
