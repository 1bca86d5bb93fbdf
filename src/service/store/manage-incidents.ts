import type { IncidentSeverity, IncidentState, IncidentUpdate } from "../../contract/status.ts";
import { onlyRow, type Session } from "./database/database-session.ts";
import type { Store } from "./store.ts";
import { RefusedChangeError } from "./store-types.ts";

/** The states that follow each state (contract section 3.2): only `monitoring` may be skipped. */
const NEXT_STATES: Readonly<Record<Exclude<IncidentState, "resolved">, readonly IncidentState[]>> = {
  investigating: ["identified"],
  identified: ["monitoring", "resolved"],
  monitoring: ["resolved"],
};

/** Records an incident with its first update, `investigating`. Resolves to its id. */
export async function openIncident(
  database: Store,
  incident: { title: string; suite: string; severity: IncidentSeverity; body: string },
  at: Date,
): Promise<number> {
  return await database.write(async (session) => {
    const { title, suite, severity, body } = incident;
    const { id } = await onlyRow<{ id: number }>(
      session,
      "INSERT INTO incident (title, suite, severity, started_at) VALUES (?, ?, ?, ?) RETURNING id",
      [title, suite, severity, at.toISOString()],
    );
    await addUpdate(session, id, { state: "investigating", body, posted_at: at.toISOString() });
    return id;
  });
}

/** Adds an update, which may keep the state; `resolved` ends the incident. @throws RefusedChangeError */
export async function updateIncident(
  database: Store,
  id: number,
  update: { state: IncidentState; body: string },
  at: Date,
): Promise<void> {
  await database.write(async (session) => {
    const [current] = await session.query<{ state: IncidentState }>(
      "SELECT state FROM incident_update WHERE incident = CAST(? AS BIGINT) ORDER BY id DESC LIMIT 1",
      [id],
    );
    if (current === undefined) {
      throw new RefusedChangeError(`there is no incident ${id}`);
    }
    const { state } = current;
    if (state === "resolved") {
      throw new RefusedChangeError(`incident ${id} is resolved, which ends it; open another one`);
    }
    const next = NEXT_STATES[state];
    if (update.state !== state && !next.includes(update.state)) {
      throw new RefusedChangeError(
        `incident ${id} is ${state} and cannot become ${update.state}; next it is ${next.join(" or ")}`,
      );
    }
    await addUpdate(session, id, { ...update, posted_at: at.toISOString() });
    if (update.state === "resolved") {
      await session.query("UPDATE incident SET resolved_at = ? WHERE id = ?", [at.toISOString(), id]);
    }
  });
}

async function addUpdate(session: Session, incident: number, update: IncidentUpdate): Promise<void> {
  const insert = "INSERT INTO incident_update (incident, state, body, posted_at) VALUES (?, ?, ?, ?)";
  await session.query(insert, [incident, update.state, update.body, update.posted_at]);
}
