import { INCIDENT_STATES } from "../../contract/status.ts";
import type { Session } from "./database/database-connection.ts";
import type { EmbeddedStore } from "./embedded.ts";
import type { IncidentSeverity, IncidentState, IncidentUpdate } from "./store.ts";

/** No incident has this id. */
export class UnknownIncidentError extends Error {
  override readonly name = "UnknownIncidentError";
  readonly id: number;

  constructor(id: number) {
    super(`there is no incident ${id}`);
    this.id = id;
  }
}

/** An update would take an incident back, or past its end. */
export class IncidentOrderError extends Error {
  override readonly name = "IncidentOrderError";
  readonly id: number;
  readonly current: IncidentState;
  readonly next: IncidentState;

  constructor(id: number, current: IncidentState, next: IncidentState) {
    super(`incident ${id} is ${current} and cannot become ${next}`);
    this.id = id;
    this.current = current;
    this.next = next;
  }
}

/** Records an incident with its first update, `investigating`. Resolves to its id. */
export async function openIncident(
  database: EmbeddedStore,
  incident: { title: string; suite: string; severity: IncidentSeverity; body: string },
  at: Date,
): Promise<number> {
  return await database.write(async (session) => {
    const [[id] = []] = await session.query(
      "INSERT INTO incident (title, suite, severity, started_at) VALUES (?, ?, ?, ?) RETURNING id",
      [incident.title, incident.suite, incident.severity, at.toISOString()],
    );
    await addUpdate(session, Number(id), { state: "investigating", body: incident.body, postedAt: at.toISOString() });
    return Number(id);
  });
}

/**
 * Adds an update; the state `resolved` ends the incident.
 *
 * @throws UnknownIncidentError, or IncidentOrderError where the state lies before the current one or the
 * incident is resolved.
 */
export async function updateIncident(
  database: EmbeddedStore,
  id: number,
  update: { state: IncidentState; body: string },
  at: Date,
): Promise<void> {
  await database.write(async (session) => {
    const [[current] = []] = await session.query(
      "SELECT state FROM incident_update WHERE incident = ? ORDER BY id DESC LIMIT 1",
      [id],
    );
    if (current === undefined) {
      throw new UnknownIncidentError(id);
    }
    const state = current as IncidentState;
    if (state === "resolved" || INCIDENT_STATES.indexOf(update.state) < INCIDENT_STATES.indexOf(state)) {
      throw new IncidentOrderError(id, state, update.state);
    }
    await addUpdate(session, id, { ...update, postedAt: at.toISOString() });
    if (update.state === "resolved") {
      await session.query("UPDATE incident SET resolved_at = ? WHERE id = ?", [at.toISOString(), id]);
    }
  });
}

/** Adds the last update. @throws as `updateIncident` does. */
export async function resolveIncident(database: EmbeddedStore, id: number, body: string, at: Date): Promise<void> {
  await updateIncident(database, id, { state: "resolved", body }, at);
}

async function addUpdate(session: Session, incident: number, { state, body, postedAt }: IncidentUpdate): Promise<void> {
  await session.query("INSERT INTO incident_update (incident, state, body, posted_at) VALUES (?, ?, ?, ?)", [
    incident,
    state,
    body,
    postedAt,
  ]);
}
