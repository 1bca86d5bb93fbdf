import { SCOPES } from "../../../contract/operations.ts";
import type { Session } from "../database/database-session.ts";
import type { SqlValue } from "../database/dialect.ts";
import type { Grants, KeyRecord, KeyUse } from "../store-types.ts";

/** The columns of a `KeyRecord`. */
export const KEY_COLUMNS = `api_key.id AS id, api_key.name AS name, api_key.team AS team, team.scopes AS scopes,
  team.retailers AS retailers, api_key.created_at AS created_at, last_used_at, revoked_at`;

/** The lists of scopes and retailers are stored as JSON. */
type StoredGrants = { scopes: string; retailers: string | null };
type Stored<T extends Grants> = Omit<T, keyof Grants> & StoredGrants;

/** The keys of a team, of a name or all keys, including revoked ones, sorted by name and team. */
export async function readKeys(
  session: Session,
  wanted: { team?: string | undefined; name?: string } = {},
): Promise<KeyRecord[]> {
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const conditions = ["true", ...given.map(([column]) => `api_key.${column} = ?`)].join(" AND ");
  const keys = await session.query<Stored<KeyRecord>>(
    `SELECT ${KEY_COLUMNS} FROM api_key JOIN team ON team.name = api_key.team
     WHERE ${conditions} ORDER BY api_key.name, api_key.team`,
    given.map(([, value]) => value),
  );
  return keys.map(withGrants);
}

export function withGrants<T extends StoredGrants>(record: T): Omit<T, keyof Grants> & Grants {
  const { scopes, retailers } = record;
  return { ...record, scopes: JSON.parse(scopes), retailers: retailers === null ? null : JSON.parse(retailers) };
}

/** Sorted and without duplicates, so that equal grants compare as equal. */
export function sortedGrants({ scopes, retailers }: Grants): Grants {
  return {
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    retailers: retailers === null ? null : [...new Set(retailers)].sort(),
  };
}

/** The values of the columns `scopes` and `retailers`. */
export function storedGrants({ scopes, retailers }: Grants): SqlValue[] {
  return [JSON.stringify(scopes), retailers === null ? null : JSON.stringify(retailers)];
}

export async function insertKey(
  session: Session,
  hash: string,
  { team, name, created_at }: Pick<KeyRecord, "team" | "name" | "created_at">,
  revokedAt: string | null = null,
): Promise<void> {
  const insert = "INSERT INTO api_key (team, name, hash, created_at, revoked_at) VALUES (?, ?, ?, ?, ?)";
  await session.query(insert, [team, name, hash, created_at, revokedAt]);
}

export async function addKeyUses(session: Session, uses: readonly KeyUse[]): Promise<void> {
  const update = `UPDATE api_key SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)`;
  for (const { id, at } of uses) {
    await session.query(update, [id, at]);
  }
}

export interface TeamRecord extends Grants {
  name: string;
  /** ISO 8601. */
  created_at: string;
}

export async function readTeams(session: Session): Promise<TeamRecord[]> {
  const teams = `SELECT name, scopes, retailers, created_at FROM team ORDER BY name`;
  return (await session.query<Stored<TeamRecord>>(teams)).map(withGrants);
}

export async function insertTeam(session: Session, team: TeamRecord): Promise<void> {
  const insert = "INSERT INTO team (name, created_at, scopes, retailers) VALUES (?, ?, ?, ?)";
  await session.query(insert, [team.name, team.created_at, ...storedGrants(team)]);
}
