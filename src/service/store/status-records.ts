import { readRecords } from "./database/json-records.ts";
import type { Session } from "./database/session.ts";
import type { DayCount, Incident } from "./store.ts";

/** Adds the counts to the stored ones. */
export async function addDayCounts(session: Session, counts: readonly DayCount[]): Promise<void> {
  for (const { date, operation, requests, failures } of counts) {
    await session.query(
      `INSERT INTO day_count VALUES (?, ?, ?, ?) ON CONFLICT (date, operation) DO UPDATE SET
         requests = day_count.requests + excluded.requests, failures = day_count.failures + excluded.failures`,
      [date, operation, requests, failures],
    );
  }
}

/** See `Store.dayCounts`. Sorted by day and operation. */
export async function readDayCounts(session: Session, since: string): Promise<DayCount[]> {
  const members = { date: "date", operation: "operation", requests: "requests", failures: "failures" };
  const rest = "FROM day_count WHERE date >= ? ORDER BY date, operation";
  return await readRecords<DayCount>(session, members, rest, [since]);
}

/** See `Store.incidents`. */
export async function readIncidents(session: Session, since: string): Promise<Incident[]> {
  const { jsonArray, jsonObject } = session.dialect;
  const update = jsonObject({ state: "state", body: "body", posted_at: "posted_at" });
  const updates = {
    json: `(SELECT ${jsonArray(update, "id DESC")} FROM incident_update WHERE incident = incident.id)`,
  };
  const plain = { id: "id", title: "title", suite: "suite", severity: "severity" };
  const members = { ...plain, started_at: "started_at", resolved_at: "resolved_at", updates };
  const rest = "FROM incident WHERE resolved_at IS NULL OR resolved_at >= ? ORDER BY started_at DESC, id DESC";
  return await readRecords<Incident>(session, members, rest, [since]);
}
