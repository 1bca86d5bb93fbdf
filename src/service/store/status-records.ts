import type { Session } from "./database/database-connection.ts";
import type { DayCount, Incident, IncidentSeverity, IncidentUpdate, MeasuredPart } from "./store.ts";

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
  const rows = await session.query(
    "SELECT date, operation, requests, failures FROM day_count WHERE date >= ? ORDER BY date, operation",
    [since],
  );
  return rows.map(([date, operation, requests, failures]) => ({
    date: String(date),
    operation: operation as MeasuredPart,
    requests: Number(requests),
    failures: Number(failures),
  }));
}

/** See `Store.incidents`. */
export async function readIncidents(session: Session, since: string): Promise<Incident[]> {
  const rows = await session.query(
    `SELECT id, title, suite, severity, started_at, resolved_at, (
       SELECT json_group_array(json_object('state', state, 'body', body, 'postedAt', posted_at) ORDER BY id DESC)
       FROM incident_update WHERE incident_update.incident = incident.id
     ) FROM incident WHERE resolved_at IS NULL OR resolved_at >= ? ORDER BY started_at DESC, id DESC`,
    [since],
  );
  return rows.map(([id, title, suite, severity, startedAt, resolvedAt, updates]) => ({
    id: Number(id),
    title: String(title),
    suite: String(suite),
    severity: severity as IncidentSeverity,
    startedAt: String(startedAt),
    resolvedAt: resolvedAt as string | null,
    updates: JSON.parse(String(updates)) as IncidentUpdate[],
  }));
}
