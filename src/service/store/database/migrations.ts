import { SCOPES } from "../../../contract/operations.ts";
import type { Product } from "../../../contract/product.ts";
import { insertKey, insertTeam } from "../access/team-records.ts";
import { createRowStage } from "../product-rows/row-stage.ts";
import type { Grants } from "../store.ts";
import type { Session, SqlValue } from "./database-session.ts";

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
  const keys = await session.query(UNGRANTED_KEYS);
  await session.script(`DROP TABLE api_key; ${dialect.migrations[FIRST_VERSION]}; ${dialect.tables}`);
  await grantToTeams(session, keys);
  const next = `SELECT id, body FROM earlier_product WHERE id > ? ORDER BY id LIMIT ${BATCH}`;
  const stage = await createRowStage(session, () => undefined);
  let rows = await session.query(next, [-1]);
  while (rows.length > 0) {
    const bodies = rows.map(([, body]) => String(body));
    await stage.add(bodies.map((body) => ({ line: 0, product: JSON.parse(body) as Product, body })));
    rows = await session.query(next, [rows.at(-1)?.[0] ?? null]);
  }
  await stage.merge();
  await session.script("DROP TABLE earlier_product; DROP TABLE earlier_combination");
}

const UNGRANTED_KEYS = `
  SELECT name, hash, team, scopes, retailers, created_at, revoked_at FROM api_key
  ORDER BY revoked_at IS NOT NULL, created_at, name`;

/**
 * Moves scopes and retailers from keys to teams, so that each key can read exactly what it could before. If the keys of a team
 * `sales` differ, the oldest active key decides for `sales`, and the others move to new teams `sales-2` and so on.
 */
async function grantToTeams(session: Session, keys: readonly SqlValue[][]): Promise<void> {
  const taken = new Set(keys.map(([, , team]) => String(team)));
  const teams = new Map<string, string>();
  for (const [name, hash, team, scopes, retailers, createdAt, revokedAt] of keys) {
    const grants: Grants = {
      scopes: SCOPES.filter((scope) => storedList(scopes).includes(scope)),
      retailers: retailers === null ? null : [...new Set(storedList(retailers))].sort(),
    };
    const grantedTo = JSON.stringify([team, grants]);
    let owner = teams.get(grantedTo);
    if (owner === undefined) {
      owner = [...teams.values()].includes(String(team)) ? freeName(String(team), taken) : String(team);
      taken.add(owner);
      teams.set(grantedTo, owner);
      await insertTeam(session, { name: owner, ...grants, createdAt: String(createdAt) });
    }
    const key = { team: owner, name: String(name), createdAt: String(createdAt) };
    await insertKey(session, String(hash), key, revokedAt === null ? null : String(revokedAt));
  }
}

function storedList(list: SqlValue | undefined): string[] {
  return JSON.parse(String(list)) as string[];
}

function freeName(team: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${team}-${number}`)) {
    number += 1;
  }
  return `${team}-${number}`;
}
