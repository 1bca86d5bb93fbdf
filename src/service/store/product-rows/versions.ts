import type { CoverageSummary } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { Session, SqlParameter } from "../database/database-session.ts";
import { daysOf, readCounts, summarise, wantedCounts } from "./row-counts.ts";

/** Milliseconds for which removed rows are kept, so that walks can end in the version in which they began. */
const KEPT_TIME = 24 * 60 * 60 * 1000;

/** The version, which changes with each load that adds rows and each removal. */
export async function readVersion(session: Session): Promise<number> {
  const [[version] = []] = await session.query("SELECT version FROM data_version");
  return Number(version);
}

/** Whether all rows of a version are still stored. */
export async function hasVersion(session: Session, version: number): Promise<boolean> {
  return (await session.query("SELECT 1 FROM row_version WHERE version = ?", [version])).length > 0;
}

/**
 * Begins the next version of the data, as part of the current transaction. It is at least the time in milliseconds, so
 * that a database restored from a copy never repeats a version. Drops rows that were removed long ago, and the versions
 * that had them.
 */
export async function beginNextVersion(session: Session): Promise<void> {
  const now = Date.now();
  await session.query(
    "UPDATE data_version SET version = CASE WHEN version < CAST(? AS BIGINT) THEN CAST(? AS BIGINT) ELSE version + 1 END",
    [now, now],
  );
  await session.script(`
    DELETE FROM row_version WHERE version < (
      SELECT max(removed) FROM product WHERE removed < (SELECT version FROM data_version) - ${KEPT_TIME}
    );
    DELETE FROM product WHERE removed < (SELECT version FROM data_version) - ${KEPT_TIME};
    INSERT INTO row_version SELECT version FROM data_version`);
}

/**
 * Removes rows from the version that was begun.
 *
 * @param condition on the columns of `product`
 */
export async function removeFromVersion(
  session: Session,
  condition: string,
  parameters: readonly SqlParameter[] = [],
): Promise<void> {
  await session.query(
    `INSERT INTO row_count
     SELECT combination, day, version, -count(*) FROM product, data_version
     WHERE removed IS NULL AND ${condition} GROUP BY combination, day, version
     ON CONFLICT (combination, day, version) DO UPDATE SET rows = row_count.rows + excluded.rows`,
    parameters,
  );
  await session.query(
    `UPDATE product SET removed = (SELECT version FROM data_version) WHERE removed IS NULL AND ${condition}`,
    parameters,
  );
}

/**
 * Removes the rows that match the filters, as part of the current transaction. Walks that began earlier still read them.
 *
 * @returns their coverage, which counts them
 */
export async function removeRows(session: Session, filters: Filters): Promise<CoverageSummary> {
  const days = daysOf(filters);
  const wanted = wantedCounts(await readCounts(session, await readVersion(session), days), filters, null);
  const summary = summarise(wanted);
  if (summary.matching_rows > 0) {
    await beginNextVersion(session);
    const matches = `${session.dialect.isListed("combination")} AND day BETWEEN ? AND ?`;
    await removeFromVersion(session, matches, [wanted.map(({ id }) => id), ...days]);
  }
  return summary;
}
