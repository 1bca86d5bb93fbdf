import type { IncidentUpdate } from "../../contract/status.ts";
import type { Session } from "./database/database-session.ts";
import { db } from "./database/tables.ts";
import type { DayCount, Incident } from "./store.ts";

/** Adds the counts to the stored ones. */
export async function addDayCounts(session: Session, counts: readonly DayCount[]): Promise<void> {
  for (const count of counts) {
    await session.run(
      db
        .insertInto("day_count")
        .values(count)
        .onConflict((present) =>
          present.columns(["date", "operation"]).doUpdateSet(({ eb, ref }) => ({
            requests: eb("day_count.requests", "+", ref("excluded.requests")),
            failures: eb("day_count.failures", "+", ref("excluded.failures")),
          })),
        ),
    );
  }
}

/** See `Store.dayCounts`. Sorted by day and operation. */
export async function readDayCounts(session: Session, since: string): Promise<DayCount[]> {
  const counts = db.selectFrom("day_count").selectAll().where("date", ">=", since);
  return (await session.run(counts.orderBy("date").orderBy("operation"))) as DayCount[];
}

/** See `Store.incidents`. */
export async function readIncidents(session: Session, since: string): Promise<Incident[]> {
  const rows = await session.run(
    db
      .selectFrom("incident")
      .innerJoin("incident_update", "incident_update.incident", "incident.id")
      .select(["incident.id", "title", "suite", "severity", "started_at", "resolved_at", "state", "body", "posted_at"])
      .where(({ eb, or }) => or([eb("resolved_at", "is", null), eb("resolved_at", ">=", since)]))
      .orderBy("started_at", "desc")
      .orderBy("incident.id", "desc")
      .orderBy("incident_update.id", "desc"),
  );
  const incidents = new Map<number, Incident>();
  for (const { state, body, posted_at, ...incident } of rows as (Omit<Incident, "updates"> & IncidentUpdate)[]) {
    const known = incidents.get(incident.id) ?? { ...incident, updates: [] };
    incidents.set(incident.id, { ...known, updates: [...known.updates, { state, body, posted_at }] });
  }
  return [...incidents.values()];
}
