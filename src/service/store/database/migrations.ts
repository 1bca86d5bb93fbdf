import { crc32 } from "node:zlib";
import { SCOPES } from "../../../contract/operations.ts";
import { insertKey, insertTeam } from "../access/team-records.ts";
import { beginNextVersion } from "../product-rows/versions.ts";
import type { Grants } from "../store.ts";
import type { Session, SqlValue } from "./session.ts";

/** The oldest schema version that can be migrated. Each migration raises the version by one. */
export const FIRST_VERSION = 2;

/** The tables of version 3 that hold teams and keys. A migration that changes them leaves this text as it is. */
export const TEAM_TABLES = `
  CREATE TABLE team (
    name TEXT PRIMARY KEY,
    scopes TEXT NOT NULL,
    retailers TEXT,
    created_at TEXT NOT NULL
  );
  CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    team TEXT NOT NULL REFERENCES team,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    revoked_at TEXT,
    UNIQUE (team, name)
  );
`;

/** The tables of version 4 for members, sign-ins and sessions. Secrets are stored as hashes. */
export const PORTAL_TABLES = `
  CREATE TABLE member (
    email TEXT PRIMARY KEY,
    team TEXT NOT NULL REFERENCES team,
    added_at TEXT NOT NULL
  );
  CREATE TABLE sign_in (
    hash TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    tries INTEGER NOT NULL,
    expires_at TEXT NOT NULL
  );
  CREATE TABLE portal_session (
    hash TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
  );
`;

/** The tables of version 7 for rows and their versions. */
export const ROW_TABLES = `
  CREATE TABLE product (
    -- Never used again, so that no walk takes one row for another.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    product_id TEXT NOT NULL,
    sku TEXT NOT NULL,
    retailer TEXT NOT NULL,
    combination BIGINT NOT NULL REFERENCES combination,
    day INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum BIGINT NOT NULL,
    -- The first version with the row, and the first one without it.
    added BIGINT NOT NULL,
    removed BIGINT
  );
  CREATE UNIQUE INDEX product_present ON product (product_id) WHERE removed IS NULL;
  CREATE INDEX product_removed ON product (removed) WHERE removed IS NOT NULL;
  -- Each has all columns that a filter or the row order needs.
  CREATE INDEX product_order ON product (sku, retailer, day, product_id, combination, added, removed);
  CREATE INDEX product_place ON product (combination, day, sku, retailer, product_id, added, removed);
  -- What each version added to the number of rows of a combination and day, negative for removed rows.
  CREATE TABLE row_count (
    combination BIGINT NOT NULL REFERENCES combination,
    day INTEGER NOT NULL,
    version BIGINT NOT NULL,
    rows INTEGER NOT NULL,
    PRIMARY KEY (combination, day, version)
  ) WITHOUT ROWID;
  -- The versions whose rows are all stored.
  CREATE TABLE row_version (version INTEGER PRIMARY KEY);
`;

/** All run in one transaction, together with the change of the version. */
const MIGRATIONS: readonly ((session: Session) => Promise<void>)[] = [
  grantToTeams,
  addPortal,
  addChecksums,
  // Version 6 added tables that version 7 replaces.
  async () => {},
  addVersionsOfRows,
];

export const NEWEST_VERSION = FIRST_VERSION + MIGRATIONS.length;

/** Migrates a database of `version` to the newest version. */
export async function migrate(session: Session, version: number): Promise<void> {
  for (const step of MIGRATIONS.slice(version - FIRST_VERSION)) {
    await step(session);
  }
  await session.script(`PRAGMA user_version = ${NEWEST_VERSION}`);
}

/**
 * Version 3: scopes and retailers belong to teams. No key may read more or less than before. If keys of the team `sales`
 * have different grants, the oldest active key decides the grants of `sales`, and the other keys get new teams `sales-2`
 * and so on.
 */
async function grantToTeams(session: Session): Promise<void> {
  const keys = await session.query(
    `SELECT name, hash, team, scopes, retailers, created_at, revoked_at FROM api_key
     ORDER BY revoked_at IS NOT NULL, created_at, name`,
  );
  await session.script(`DROP TABLE api_key; ${TEAM_TABLES}`);
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

/** Version 4: members of teams, sign-ins and sessions of the portal. */
async function addPortal(session: Session): Promise<void> {
  await session.script(PORTAL_TABLES);
}

/** Version 5: rows have checksums. */
async function addChecksums(session: Session): Promise<void> {
  await session.script("ALTER TABLE product ADD COLUMN sum INTEGER NOT NULL DEFAULT 0");
  const next = "SELECT id, CAST(body AS BLOB) FROM product WHERE id > ? ORDER BY id LIMIT 5000";
  let rows = await session.query(next, [-1]);
  while (rows.length > 0) {
    for (const [id = null, body] of rows) {
      await session.query("UPDATE product SET sum = ? WHERE id = ?", [crc32(body as Buffer), id]);
    }
    rows = await session.query(next, [rows.at(-1)?.[0] ?? null]);
  }
}

/** Version 7: each row names its versions, and rows are counted by combination, day and version. Walks begin again. */
async function addVersionsOfRows(session: Session): Promise<void> {
  await session.script(`
    DROP TABLE IF EXISTS row_index;
    DROP TABLE IF EXISTS removed_row;
    DROP TABLE IF EXISTS row_version;
    ALTER TABLE product RENAME TO earlier_product;
    ${ROW_TABLES}
    INSERT INTO sqlite_sequence SELECT 'product', coalesce(max(id), 0) FROM earlier_product`);
  await beginNextVersion(session);
  await session.script(`
    INSERT INTO product (product_id, sku, retailer, combination, day, body, sum, added)
    SELECT product_id, sku, retailer, combination, day, body, sum, version
    FROM earlier_product JOIN combination ON combination.id = combination, data_version
    ORDER BY sku, retailer, day, product_id;
    DROP TABLE earlier_product;
    INSERT INTO row_count
    SELECT combination, day, version, count(*) FROM product, data_version GROUP BY combination, day`);
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
