import type { Product } from "../../../contract/product.ts";
import { insertKey, insertTeam, sortedGrants, withGrants } from "../access/team-records.ts";
import { createRowStage } from "../product-rows/row-stage.ts";
import type { Session } from "./database-session.ts";

/** The version that release 0.1.0 used. There, each key has its own scopes and retailers, and removed rows are not kept. */
const FIRST_VERSION = 2;

/** Rows that are read at once. */
const BATCH = 5_000;

/** Migrates the tables of an earlier version, in the caller's transaction. */
export async function migrate(session: Session, version: number): Promise<void> {
  if (version === FIRST_VERSION) {
    await migrateFirst(session);
  } else {
    await session.script(session.dialect.migrations[version] ?? "");
  }
}

/** The rows are added as a load would add them, and walks in progress have to start over. */
async function migrateFirst(session: Session): Promise<void> {
  const { dialect } = session;
  const keys = await session.query<EarlierKey>(UNGRANTED_KEYS);
  await session.script(`DROP TABLE api_key; ${dialect.migrations[FIRST_VERSION]}; ${dialect.tables}`);
  await grantToTeams(session, keys);
  const next = `SELECT id, body FROM earlier_product WHERE id > ? ORDER BY id LIMIT ${BATCH}`;
  const stage = await createRowStage(session, () => undefined);
  for (let last: number | undefined = -1; last !== undefined; ) {
    const rows: { id: number; body: string }[] = await session.query(next, [last]);
    await stage.add(rows.map(({ body }) => ({ line: 0, product: JSON.parse(body) as Product, body })));
    last = rows.at(-1)?.id;
  }
  await stage.merge();
  await session.script("DROP TABLE earlier_product; DROP TABLE earlier_combination");
}

/** A key of version 0.1.0. Its lists are JSON. */
type EarlierKey = Record<"name" | "hash" | "team" | "scopes" | "created_at", string> &
  Record<"retailers" | "revoked_at", string | null>;

const UNGRANTED_KEYS = `
  SELECT name, hash, team, scopes, retailers, created_at, revoked_at FROM api_key
  ORDER BY revoked_at IS NOT NULL, created_at, name`;

/**
 * Moves scopes and retailers from keys to teams, so that each key can read exactly what it could before. If the keys of a team
 * `sales` differ, the oldest active key decides for `sales`, and the others move to new teams `sales-2` and so on.
 */
async function grantToTeams(session: Session, keys: readonly EarlierKey[]): Promise<void> {
  const taken = new Set(keys.map(({ team }) => team));
  const teams = new Map<string, string>();
  for (const key of keys) {
    const { name, hash, team, created_at, revoked_at } = key;
    const grants = sortedGrants(withGrants(key));
    const grantedTo = JSON.stringify([team, grants]);
    let owner = teams.get(grantedTo);
    if (owner === undefined) {
      owner = [...teams.values()].includes(team) ? freeName(team, taken) : team;
      taken.add(owner);
      teams.set(grantedTo, owner);
      await insertTeam(session, { name: owner, ...grants, created_at });
    }
    await insertKey(session, hash, { team: owner, name, created_at }, revoked_at);
  }
}

function freeName(team: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${team}-${number}`)) {
    number += 1;
  }
  return `${team}-${number}`;
}
