import type { Session } from "./database/database-connection.ts";
import type { Incident, IncidentSeverity, IncidentUpdate } from "./store.ts";

/** Incidents that are open or were open at or after `since`, newest first. */
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
    resolvedAt: resolvedAt === null ? null : String(resolvedAt),
    updates: JSON.parse(String(updates)) as IncidentUpdate[],
  }));
}
