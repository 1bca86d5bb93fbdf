import type { Scope } from "../../../contract/operations.ts";
import type { Session, SqlValue } from "../database/database-connection.ts";
import type { Grants } from "../store.ts";

/** A stored team. */
export interface TeamRecord extends Grants {
  name: string;
  /** ISO 8601. */
  createdAt: string;
}

/** All teams, sorted by name. */
export async function readTeams(session: Session): Promise<TeamRecord[]> {
  const rows = await session.query("SELECT scopes, retailers, name, created_at FROM team ORDER BY name");
  return rows.map(([scopes, retailers, name, createdAt]) => ({
    name: String(name),
    ...grantsOf(scopes, retailers),
    createdAt: String(createdAt),
  }));
}

export async function insertTeam(session: Session, { name, createdAt, ...grants }: TeamRecord): Promise<void> {
  await session.query("INSERT INTO team (scopes, retailers, name, created_at) VALUES (?, ?, ?, ?)", [
    ...columnsOf(grants),
    name,
    createdAt,
  ]);
}

export async function updateGrants(session: Session, name: string, grants: Grants): Promise<void> {
  await session.query("UPDATE team SET scopes = ?, retailers = ? WHERE name = ?", [...columnsOf(grants), name]);
}

/** Reads the columns `scopes` and `retailers`. */
export function grantsOf(scopes: SqlValue | undefined, retailers: SqlValue | undefined): Grants {
  return {
    scopes: JSON.parse(String(scopes)) as Scope[],
    retailers: retailers === null ? null : (JSON.parse(String(retailers)) as string[]),
  };
}

function columnsOf({ scopes, retailers }: Grants): SqlValue[] {
  return [JSON.stringify(scopes), retailers === null ? null : JSON.stringify(retailers)];
}
