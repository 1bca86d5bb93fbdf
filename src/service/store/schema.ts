import { randomBytes } from "node:crypto";
import type { Connection } from "./connection.ts";
import { StoreUnavailableError } from "./store.ts";

/** "RCat": marks a file as a database of this service (SQLite file format, offset 68). */
const APPLICATION_ID = 0x52_43_61_74;
const SCHEMA_VERSION = 2;

const TABLES = `
  CREATE TABLE combination (
    id INTEGER PRIMARY KEY,
    retailer TEXT NOT NULL,
    department TEXT NOT NULL,
    category TEXT NOT NULL,
    UNIQUE (retailer, department, category)
  );
  CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    product_id TEXT NOT NULL UNIQUE,
    sku TEXT NOT NULL,
    combination INTEGER NOT NULL REFERENCES combination,
    day INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE TABLE data_version (version INTEGER NOT NULL);
  -- The columns that filters need, in the row order of the service, some rows at a time: little-endian 32-bit integers.
  CREATE TABLE row_index (
    first INTEGER PRIMARY KEY,
    ids BLOB NOT NULL,
    combinations BLOB NOT NULL,
    days BLOB NOT NULL
  );
  CREATE TABLE secret (cursor BLOB NOT NULL);
  CREATE TABLE api_key (
    name TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    team TEXT NOT NULL,
    scopes TEXT NOT NULL,
    retailers TEXT,
    created_at TEXT NOT NULL,
    revoked_at TEXT
  );
  CREATE TABLE day_count (
    date TEXT NOT NULL,
    operation TEXT NOT NULL,
    requests INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    PRIMARY KEY (date, operation)
  ) WITHOUT ROWID;
  CREATE TABLE incident (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    suite TEXT NOT NULL,
    severity TEXT NOT NULL,
    started_at TEXT NOT NULL,
    resolved_at TEXT
  );
  CREATE TABLE incident_update (
    id INTEGER PRIMARY KEY,
    incident INTEGER NOT NULL REFERENCES incident,
    state TEXT NOT NULL,
    body TEXT NOT NULL,
    posted_at TEXT NOT NULL
  );
`;

/** Makes an empty database ready for use; leaves one that is ready alone. */
export async function createSchema(connection: Connection): Promise<void> {
  if (!(await isEmpty(connection))) {
    await checkSchema(connection);
    return;
  }
  // Larger pages hold more rows of some 500 bytes without waste. Both settings stay with the file.
  await connection.exclusively((session) => session.script("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL"));
  await connection.transaction(async (session) => {
    const [[tables] = []] = await session.query("SELECT count(*) FROM sqlite_schema");
    if (tables !== 0) {
      return;
    }
    await session.script(TABLES);
    await session.script(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    await session.query("INSERT INTO data_version VALUES (0)");
    await session.query("INSERT INTO secret VALUES (?)", [randomBytes(32)]);
  });
  await checkSchema(connection);
}

/** @throws StoreUnavailableError where the file is a database, but not one that this version of the service made. */
export async function checkSchema(connection: Connection): Promise<void> {
  const [[application] = []] = await connection.query("PRAGMA application_id");
  const [[version] = []] = await connection.query("PRAGMA user_version");
  if (application !== APPLICATION_ID) {
    throw new StoreUnavailableError("the database is not one of this service");
  }
  if (version !== SCHEMA_VERSION) {
    throw new StoreUnavailableError(`the database has schema ${version}, this service reads schema ${SCHEMA_VERSION}`);
  }
}

async function isEmpty(connection: Connection): Promise<boolean> {
  const [[tables] = []] = await connection.query("SELECT count(*) FROM sqlite_schema");
  return tables === 0;
}
