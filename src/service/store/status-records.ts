import type { Session } from "./database/database-connection.ts";
import { readRecords } from "./database/json-records.ts";
import type { DayCount, Incident } from "./store.ts";

/** Adds the counts to the stored ones. */
export async function addDayCounts(session: Session, counts: readonly DayCount[]): Promise<void> {
  for (const { date, operation, requests, failures } of counts) {
    await session.query(
      `INSERT INTO day_count VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         requests = requests + excluded.requests, failures = failures + excluded.failures`,
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
  const updates = `json((
    SELECT json_group_array(json_object('state', state, 'body', body, 'posted_at', posted_at) ORDER BY id DESC)
    FROM incident_update WHERE incident_update.incident = incident.id
  ))`;
  const plain = { id: "id", title: "title", suite: "suite", severity: "severity" };
  const members = { ...plain, started_at: "started_at", resolved_at: "resolved_at", updates };
  const rest = "FROM incident WHERE resolved_at IS NULL OR resolved_at >= ? ORDER BY started_at DESC, id DESC";
  return await readRecords<Incident>(session, members, rest, [since]);
}
