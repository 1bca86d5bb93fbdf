import type { Session } from "../database/database-connection.ts";
import { insertRow, readRecords } from "../database/json-records.ts";
import type { Grants } from "../store.ts";

/** A stored team. */
export interface TeamRecord extends Grants {
  name: string;
  /** ISO 8601. */
  createdAt: string;
}

/** All teams, sorted by name. */
export async function readTeams(session: Session): Promise<TeamRecord[]> {
  const members = { name: "name", scopes: "json(scopes)", retailers: "json(retailers)", createdAt: "created_at" };
  return await readRecords<TeamRecord>(session, members, "FROM team ORDER BY name");
}

export async function insertTeam(session: Session, { name, createdAt, ...grants }: TeamRecord): Promise<void> {
  await insertRow(session, "team", { ...grantColumns(grants), name, created_at: createdAt });
}

export async function updateGrants(session: Session, name: string, grants: Grants): Promise<void> {
  const { scopes, retailers } = grantColumns(grants);
  await session.query("UPDATE team SET scopes = ?, retailers = ? WHERE name = ?", [scopes, retailers, name]);
}

function grantColumns({ scopes, retailers }: Grants) {
  return { scopes: JSON.stringify(scopes), retailers: retailers === null ? null : JSON.stringify(retailers) };
}
