import type { IncidentUpdate } from "../../contract/status.ts";
import type { Session } from "./database/database-session.ts";
import type { DayCount, Incident } from "./store-types.ts";

export async function addDayCounts(session: Session, counts: readonly DayCount[]): Promise<void> {
  for (const { date, operation, requests, failures } of counts) {
    await session.query(
      `INSERT INTO day_count (date, operation, requests, failures) VALUES (?, ?, ?, ?)
       ON CONFLICT (date, operation) DO UPDATE
       SET requests = day_count.requests + excluded.requests, failures = day_count.failures + excluded.failures`,
      [date, operation, requests, failures],
    );
  }
}

export async function readDayCounts(session: Session, since: string): Promise<DayCount[]> {
  const counts = "SELECT date, operation, requests, failures FROM day_count WHERE date >= ? ORDER BY date, operation";
  return await session.query<DayCount>(counts, [since]);
}

export async function readIncidents(session: Session, since: string): Promise<Incident[]> {
  const rows = await session.query<Omit<Incident, "updates"> & IncidentUpdate>(
    `SELECT incident.id AS id, title, suite, severity, started_at, resolved_at, state, body, posted_at
     FROM incident JOIN incident_update ON incident_update.incident = incident.id
     WHERE resolved_at IS NULL OR resolved_at >= ?
     ORDER BY started_at DESC, incident.id DESC, incident_update.id DESC`,
    [since],
  );
  const incidents = new Map<number, Incident>();
  for (const { state, body, posted_at, ...incident } of rows) {
    const known = incidents.get(incident.id) ?? { ...incident, updates: [] };
    incidents.set(incident.id, { ...known, updates: [...known.updates, { state, body, posted_at }] });
  }
  return [...incidents.values()];
}
