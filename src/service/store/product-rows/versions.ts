import { setTimeout as pause } from "node:timers/promises";
import { type CoverageSummary, summaryOf } from "../../../contract/coverage.ts";
import type { Filters } from "../../../contract/filters.ts";
import type { Session } from "../database/database-session.ts";
import { StoreUnavailableError } from "../store.ts";
import { combinationCounts, coverageEntry, daysOf, retailersOf, wantedCounts } from "./row-counts.ts";

/** Milliseconds for which rows and versions are kept after they were replaced, so that walks can end in their version. */
const KEPT_TIME = 24 * 60 * 60 * 1000;

/** Milliseconds that a publication waits until all rows of a version can be read, and between two looks. */
const PUBLICATION_WAIT = 120_000;
const PUBLICATION_PAUSE = 100;

/** The newest version that may be read. */
export async function readPublished(session: Session): Promise<number> {
  const [[published] = []] = await session.query("SELECT published FROM data_version");
  return Number(published);
}

/** Whether all rows of a version are still stored. */
export async function hasVersion(session: Session, version: number): Promise<boolean> {
  const known =
    "SELECT 1 FROM row_version, data_version WHERE row_version.version = ? AND row_version.version <= published";
  return (await session.query(known, [version])).length > 0;
}

/**
 * Begins the next version in the current transaction, and deletes what only long replaced versions read. The caller adds and removes
 * rows with its number, then calls `commitVersion`. The number is at least the time in milliseconds, so that a database restored
 * from a copy never repeats one.
 */
export async function beginVersion(session: Session): Promise<number> {
  const [[newest] = []] = await session.query("SELECT version FROM data_version");
  const version = Math.max(Date.now(), Number(newest) + 1);
  const past = `
    SELECT coalesce(max(row_version.version), 0) FROM row_version, data_version
    WHERE row_version.version <= ? AND row_version.version <= published`;
  const [[oldest = 0] = []] = await session.query(past, [version - KEPT_TIME]);
  await session.query("DELETE FROM row_version WHERE version < ?", [oldest]);
  await session.query("DELETE FROM product WHERE removed <= ?", [oldest]);
  return version;
}

/**
 * Counts what a version added and removed, in the current transaction. The cost depends on these rows and the days of their
 * combinations.
 */
export async function commitVersion(session: Session, version: number): Promise<void> {
  const changed = `SELECT combination FROM product WHERE added = ?1 UNION SELECT combination FROM product WHERE removed = ?1`;
  const counted = (sign: "" | "-", column: "added" | "removed") => `
    INSERT INTO row_count (retailer, combination, day, rows)
    SELECT retailer, combination, day, ${sign}count(*) FROM product WHERE ${column} = ? GROUP BY retailer, combination, day
    ON CONFLICT (retailer, combination, day) DO UPDATE SET rows = row_count.rows + excluded.rows`;
  await session.query(counted("", "added"), [version]);
  await session.query(counted("-", "removed"), [version]);
  await session.query(
    `DELETE FROM row_count
     WHERE rows = 0 AND (retailer, combination) IN (SELECT retailer, combination FROM product WHERE removed = ?)`,
    [version],
  );
  await session.query(
    `UPDATE combination SET (rows, first_day, last_day) = (
       SELECT coalesce(sum(row_count.rows), 0), min(day), max(day) FROM row_count
       WHERE row_count.retailer = combination.retailer AND row_count.combination = combination.id
     ) WHERE id IN (${changed})`,
    [version],
  );
  await session.query(
    `INSERT INTO row_version (version, added, removed)
     SELECT CAST(?1 AS BIGINT), (SELECT count(*) FROM product WHERE added = ?1), (SELECT count(*) FROM product WHERE removed = ?1)`,
    [version],
  );
  await session.query("UPDATE data_version SET version = ?", [version]);
}

/**
 * Publishes the newest version after its transaction. A database on several servers commits on one after the other: readers must
 * not see the rows of some of them. @throws StoreUnavailableError if rows are missing for two minutes
 */
export async function publishVersion(session: Session): Promise<void> {
  for (const end = Date.now() + PUBLICATION_WAIT; ; await pause(PUBLICATION_PAUSE)) {
    const [[version = 0, published = 0, ...changes] = []] = await session.query(UNPUBLISHED);
    if (version === published) {
      return;
    }
    const [present = []] = await session.query(PRESENT_CHANGES, [published, version]);
    if (present.join() === changes.join()) {
      const publish = "UPDATE data_version SET published = ?1 WHERE published < ?1";
      await session.transaction("records", () => session.query(publish, [version]));
      return;
    }
    if (Date.now() > end) {
      throw new StoreUnavailableError(
        "the rows are stored, but not yet on all servers, and nobody reads them before: run the command again to publish them",
      );
    }
  }
}

/** The newest version, the published one, and how many rows the versions between them added and removed. */
const UNPUBLISHED = `
  SELECT data_version.version, published,
    CAST(coalesce(sum(added), 0) AS BIGINT), CAST(coalesce(sum(removed), 0) AS BIGINT)
  FROM data_version LEFT JOIN row_version ON row_version.version > published GROUP BY data_version.version, published`;

/** How many of these rows can be read. */
const PRESENT_CHANGES = `
  SELECT (SELECT count(*) FROM product WHERE added > ?1 AND added <= ?2),
    (SELECT count(*) FROM product WHERE removed > ?1 AND removed <= ?2)`;

/** Removes the rows that match the filters, in the current transaction. Earlier walks still read them. @returns their coverage */
export async function removeRows(session: Session, filters: Filters): Promise<CoverageSummary> {
  const [[newest] = []] = await session.query("SELECT version FROM data_version");
  const days = daysOf(filters);
  const wanted = wantedCounts(await combinationCounts(session, Number(newest), days), filters, null);
  const summary = summaryOf(wanted.map(coverageEntry));
  if (summary.matching_rows > 0) {
    const { isListed } = session.dialect;
    const version = await beginVersion(session);
    await session.query(
      `UPDATE product SET removed = ?1 WHERE removed IS NULL AND day BETWEEN ?2 AND ?3
         AND ${isListed("combination", 4, "BIGINT")} AND ${isListed("retailer", 5, "TEXT")}`,
      [version, ...days, wanted.map(({ id }) => id), retailersOf(wanted)],
    );
    await commitVersion(session, version);
  }
  return summary;
}
