import { insertRow, readRecords } from "../database/json-records.ts";
import type { Session, SqlValue } from "../database/session.ts";
import type { Grants, KeyRecord, KeyUse } from "../store.ts";

/** The key whose secret has this hash, revoked or not. */
export async function readKeyByHash(session: Session, hash: string): Promise<KeyRecord | undefined> {
  const [key] = await selectKeys(session, "WHERE hash = ?", [hash]);
  return key;
}

/** All keys, including revoked ones, sorted by name and team. */
export async function readKeys(session: Session): Promise<KeyRecord[]> {
  return await selectKeys(session, "ORDER BY api_key.name, team");
}

/** The expressions of the members of a key. */
export const KEY: Readonly<Record<keyof KeyRecord, string>> = {
  id: "api_key.id",
  name: "api_key.name",
  team: "team",
  scopes: "scopes",
  retailers: "retailers",
  createdAt: "api_key.created_at",
  lastUsedAt: "last_used_at",
  revokedAt: "revoked_at",
};

/** @param record whose lists are JSON */
export function keyRecordOf(record: KeyRecord): KeyRecord {
  const list = (json: unknown) => JSON.parse(String(json));
  return { ...record, scopes: list(record.scopes), retailers: list(record.retailers) };
}

async function selectKeys(session: Session, rest: string, parameters?: readonly SqlValue[]): Promise<KeyRecord[]> {
  const from = `FROM api_key JOIN team ON team.name = api_key.team ${rest}`;
  return (await readRecords<KeyRecord>(session, KEY, from, parameters)).map(keyRecordOf);
}

export async function insertKey(
  session: Session,
  hash: string,
  { team, name, createdAt }: Pick<KeyRecord, "team" | "name" | "createdAt">,
  revokedAt: string | null = null,
): Promise<void> {
  await insertRow(session, "api_key", { team, name, hash, created_at: createdAt, revoked_at: revokedAt });
}

/** Stores the time of each key's last use. */
export async function addKeyUses(session: Session, uses: readonly KeyUse[]): Promise<void> {
  for (const { id, at } of uses) {
    const update = "UPDATE api_key SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, '') < ?";
    await session.query(update, [at, id, at]);
  }
}

/** A stored team. */
export interface TeamRecord extends Grants {
  name: string;
  /** ISO 8601. */
  createdAt: string;
}

/** All teams, sorted by name. */
export async function readTeams(session: Session): Promise<TeamRecord[]> {
  const members = {
    name: "name",
    scopes: { json: "scopes" },
    retailers: { json: "retailers" },
    createdAt: "created_at",
  };
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
