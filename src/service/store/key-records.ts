import type { Scope } from "../../contract/operations.ts";
import type { Session, SqlValue } from "./connection.ts";
import type { KeyRecord } from "./store.ts";

const COLUMNS = "name, team, scopes, retailers, created_at, revoked_at";

/** The key whose secret has this hash, revoked or not. */
export async function readKeyByHash(session: Session, hash: string): Promise<KeyRecord | undefined> {
  const [row] = await session.query(`SELECT ${COLUMNS} FROM api_key WHERE hash = ?`, [hash]);
  return row === undefined ? undefined : toRecord(row);
}

/** Every key, revoked ones too, by name. */
export async function readKeys(session: Session): Promise<KeyRecord[]> {
  return (await session.query(`SELECT ${COLUMNS} FROM api_key ORDER BY name`)).map(toRecord);
}

export async function insertKey(session: Session, hash: string, record: KeyRecord): Promise<void> {
  const { name, team, scopes, retailers, createdAt, revokedAt } = record;
  const visible = retailers === null ? null : JSON.stringify(retailers);
  await session.query(`INSERT INTO api_key (hash, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, [
    hash,
    name,
    team,
    JSON.stringify(scopes),
    visible,
    createdAt,
    revokedAt,
  ]);
}

/** Revokes a key that is active; an earlier revocation keeps its time. */
export async function markRevoked(session: Session, name: string, at: string): Promise<void> {
  await session.query("UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE name = ?", [at, name]);
}

function toRecord([name, team, scopes, retailers, createdAt, revokedAt]: SqlValue[]): KeyRecord {
  return {
    name: String(name),
    team: String(team),
    scopes: JSON.parse(String(scopes)) as Scope[],
    retailers: retailers === null ? null : (JSON.parse(String(retailers)) as string[]),
    createdAt: String(createdAt),
    revokedAt: revokedAt === null ? null : String(revokedAt),
  };
}
