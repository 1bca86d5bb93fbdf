import type { Session, SqlValue } from "../database/database-connection.ts";
import type { KeyRecord, KeyUse } from "../store.ts";
import { grantsOf } from "./team-records.ts";

const KEYS = `
  SELECT id, api_key.name, team, scopes, retailers, api_key.created_at, last_used_at, revoked_at
  FROM api_key JOIN team ON team.name = api_key.team`;

/** The key whose secret has this hash, revoked or not. */
export async function readKeyByHash(session: Session, hash: string): Promise<KeyRecord | undefined> {
  const [row] = await session.query(`${KEYS} WHERE hash = ?`, [hash]);
  return row === undefined ? undefined : toRecord(row);
}

/** All keys, including revoked ones, sorted by name and team. */
export async function readKeys(session: Session): Promise<KeyRecord[]> {
  return (await session.query(`${KEYS} ORDER BY api_key.name, team`)).map(toRecord);
}

export async function insertKey(
  session: Session,
  hash: string,
  { team, name, createdAt }: Pick<KeyRecord, "team" | "name" | "createdAt">,
  revokedAt: string | null = null,
): Promise<void> {
  await session.query("INSERT INTO api_key (team, name, hash, created_at, revoked_at) VALUES (?, ?, ?, ?, ?)", [
    team,
    name,
    hash,
    createdAt,
    revokedAt,
  ]);
}

/** Stores the time of each key's last use. */
export async function addKeyUses(session: Session, uses: readonly KeyUse[]): Promise<void> {
  for (const { id, at } of uses) {
    await session.query("UPDATE api_key SET last_used_at = max(coalesce(last_used_at, ''), ?) WHERE id = ?", [at, id]);
  }
}

function toRecord([id, name, team, scopes, retailers, createdAt, lastUsedAt, revokedAt]: SqlValue[]): KeyRecord {
  return {
    id: Number(id),
    name: String(name),
    team: String(team),
    ...grantsOf(scopes, retailers),
    createdAt: String(createdAt),
    lastUsedAt: lastUsedAt as string | null,
    revokedAt: revokedAt as string | null,
  };
}
