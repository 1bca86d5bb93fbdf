import type { Session } from "../database/database-session.ts";
import { db } from "../database/tables.ts";
import type { Grants, KeyRecord, KeyUse } from "../store.ts";

/** The members of a key and of the grants of its team. */
export const KEY_COLUMNS = [
  "api_key.id as id",
  "api_key.name as name",
  "api_key.team as team",
  "team.scopes as scopes",
  "team.retailers as retailers",
  "api_key.created_at as createdAt",
  "api_key.last_used_at as lastUsedAt",
  "api_key.revoked_at as revokedAt",
] as const;

const KEYS = db.selectFrom("api_key").innerJoin("team", "team.name", "api_key.team").select(KEY_COLUMNS);

/** The key whose secret has this hash, revoked or not. */
export async function readKeyByHash(session: Session, hash: string): Promise<KeyRecord | undefined> {
  const [key] = await session.run(KEYS.where("hash", "=", hash));
  return key && withGrants(key);
}

/** The keys of a team, of a name or all keys, including revoked ones, sorted by name and team. */
export async function readKeys(
  session: Session,
  { team, name }: { team?: string | undefined; name?: string } = {},
): Promise<KeyRecord[]> {
  let keys = KEYS.orderBy("api_key.name").orderBy("api_key.team");
  keys = team === undefined ? keys : keys.where("api_key.team", "=", team);
  keys = name === undefined ? keys : keys.where("api_key.name", "=", name);
  return (await session.run(keys)).map(withGrants);
}

/** The lists of scopes and retailers are stored as JSON. */
type StoredGrants = { scopes: string; retailers: string | null };

export function withGrants<T extends StoredGrants>(record: T): Omit<T, keyof Grants> & Grants {
  const { scopes, retailers } = record;
  return { ...record, scopes: JSON.parse(scopes), retailers: retailers === null ? null : JSON.parse(retailers) };
}

export function storedGrants({ scopes, retailers }: Grants): StoredGrants {
  return { scopes: JSON.stringify(scopes), retailers: retailers === null ? null : JSON.stringify(retailers) };
}

export async function insertKey(
  session: Session,
  hash: string,
  { team, name, createdAt }: Pick<KeyRecord, "team" | "name" | "createdAt">,
  revokedAt: string | null = null,
): Promise<void> {
  const key = { team, name, hash, created_at: createdAt, revoked_at: revokedAt };
  await session.run(db.insertInto("api_key").values(key));
}

/** Stores the time of each key's last use. */
export async function addKeyUses(session: Session, uses: readonly KeyUse[]): Promise<void> {
  for (const { id, at } of uses) {
    await session.run(
      db
        .updateTable("api_key")
        .set({ last_used_at: at })
        .where("id", "=", id)
        .where(({ eb, or }) => or([eb("last_used_at", "is", null), eb("last_used_at", "<", at)])),
    );
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
  const teams = db.selectFrom("team").select(["name", "scopes", "retailers", "created_at as createdAt"]);
  return (await session.run(teams.orderBy("name"))).map(withGrants);
}

export async function insertTeam(session: Session, { name, createdAt, ...grants }: TeamRecord): Promise<void> {
  await session.run(db.insertInto("team").values({ name, created_at: createdAt, ...storedGrants(grants) }));
}
