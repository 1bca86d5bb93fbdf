import { setTimeout as pause } from "node:timers/promises";
import { type CoverageSummary, summaryOf } from "../../../contract/coverage.ts";
import { combinationFilter } from "../../../contract/filter-match.ts";
import type { Filters } from "../../../contract/filters.ts";
import { onlyRow, type Session } from "../database/database-session.ts";
import { StoreUnavailableError } from "../store-types.ts";
import { countsOn, daysOf, readChanges, readCounts, retailersOf, storeChanges } from "./row-counts.ts";

/** Milliseconds for which rows and versions are kept after they were replaced, so that walks can end in their version. */
const KEPT_TIME = 24 * 60 * 60 * 1000;

/** Milliseconds that publishing waits for all rows of a version to be readable, and between two checks. */
const PUBLICATION_WAIT = 120_000;
const PUBLICATION_PAUSE = 100;

/** The newest version, and the newest one that may be read. */
export async function readVersions(session: Session) {
  const versions = "SELECT version, published FROM data_version";
  return await onlyRow<{ version: number; published: number }>(session, versions);
}

/** Whether all rows of a version are still stored. */
export async function hasVersion(session: Session, version: number): Promise<boolean> {
  const known =
    "SELECT 1 FROM row_version, data_version WHERE row_version.version = ? AND row_version.version <= published";
  return (await session.query(known, [version])).length > 0;
}

/**
 * Begins the next version in the current transaction, and deletes versions that were replaced more than a day ago, with the rows that
 * only they have. The caller adds and removes rows with the returned number, then calls `commitVersion`. The number is at least the
 * time in milliseconds, so that a database restored from a copy never repeats one.
 */
export async function beginVersion(session: Session): Promise<number> {
  const version = Math.max(Date.now(), (await readVersions(session)).version + 1);
  const past = `
    SELECT coalesce(max(row_version.version), 0) AS oldest FROM row_version, data_version
    WHERE row_version.version <= ? AND row_version.version <= published`;
  const { oldest } = await onlyRow<{ oldest: number }>(session, past, [version - KEPT_TIME]);
  await session.query("DELETE FROM row_version WHERE version < ?", [oldest]);
  await session.query("DELETE FROM product WHERE removed <= ?", [oldest]);
  return version;
}

/** Updates the counts by what a version changed, in the current transaction. The cost grows with these rows and the days of their combinations. */
export async function commitVersion(session: Session, version: number, added = 0, removed = 0): Promise<void> {
  await storeChanges(session, await readChanges(session, version - 1, version));
  await session.query("INSERT INTO row_version (version, added, removed) VALUES (?, ?, ?)", [version, added, removed]);
  await session.query("UPDATE data_version SET version = ?", [version]);
}

type ChangedRows = Record<"added" | "removed", number>;

/** How many rows the versions after `from`, up to `to`, added and removed. */
export async function changedRows(session: Session, from: number, to: number): Promise<ChangedRows> {
  return await onlyRow<ChangedRows>(
    session,
    `SELECT CAST(coalesce(sum(added), 0) AS BIGINT) AS added, CAST(coalesce(sum(removed), 0) AS BIGINT) AS removed
     FROM row_version WHERE version > ? AND version <= ?`,
    [from, to],
  );
}

/**
 * Publishes the newest version after its transaction. A database on several servers commits on one after the other, and readers must
 * not see a version of which some servers lack rows. @throws StoreUnavailableError if rows are missing for two minutes
 */
export async function publishVersion(session: Session): Promise<void> {
  for (const end = Date.now() + PUBLICATION_WAIT; ; await pause(PUBLICATION_PAUSE)) {
    const { version, published } = await readVersions(session);
    if (version === published) {
      return;
    }
    const { added, removed } = await changedRows(session, published, version);
    const present = await onlyRow<ChangedRows>(session, PRESENT_CHANGES, [published, version]);
    if (present.added === added && present.removed === removed) {
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

const PRESENT_CHANGES = `
  SELECT (SELECT count(*) FROM product WHERE added > ?1 AND added <= ?2) AS added,
    (SELECT count(*) FROM product WHERE removed > ?1 AND removed <= ?2) AS removed`;

/** Removes the rows that match the filters, in the current transaction. Earlier walks still read them. @returns their coverage */
export async function removeRows(session: Session, filters: Filters): Promise<CoverageSummary> {
  const days = daysOf(filters);
  const newest = await readCounts(session, (await readVersions(session)).version);
  const matching = countsOn(days, newest.filter(combinationFilter(filters)));
  const wanted = matching.map(({ combination }) => combination);
  const summary = summaryOf(matching);
  if (summary.matching_rows > 0) {
    const { isListed } = session.dialect;
    const version = await beginVersion(session);
    await session.query(
      `UPDATE product SET removed = ?1 WHERE removed IS NULL AND day BETWEEN ?2 AND ?3
         AND ${isListed("combination", 4, "BIGINT")} AND ${isListed("retailer", 5, "TEXT")}`,
      [version, ...days, wanted.map(({ id }) => id), retailersOf(wanted)],
    );
    await commitVersion(session, version, 0, summary.matching_rows);
  }
  return summary;
}
