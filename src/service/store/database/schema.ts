import { randomBytes, randomInt } from "node:crypto";
import { beginNextVersion } from "../product-rows/versions.ts";
import { StoreUnavailableError } from "../store.ts";
import { SQLITE } from "./dialect.ts";
import { FIRST_VERSION, migrate, NEWEST_VERSION, PORTAL_TABLES, ROW_TABLES, TEAM_TABLES } from "./migrations.ts";
import type { Connection, Session } from "./session.ts";

/** "RCat", which marks a file as a database of this service (SQLite file format, offset 68). */
const APPLICATION_ID = 0x52_43_61_74;

/** The tables of the newest version. `migrations.ts` gives the same tables to a database of an earlier version. */
export const TABLES = `
  CREATE TABLE combination (
    id INTEGER PRIMARY KEY,
    retailer TEXT NOT NULL,
    department TEXT NOT NULL,
    category TEXT NOT NULL,
    UNIQUE (retailer, department, category)
  );
  ${ROW_TABLES}
  CREATE TABLE data_version (version INTEGER NOT NULL);
  CREATE TABLE secret (cursor BLOB NOT NULL);
  ${TEAM_TABLES}
  ${PORTAL_TABLES}
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

/** Creates the tables of an empty database, or migrates a database of an earlier version. */
export async function createSchema(connection: Connection): Promise<void> {
  const found = await connection.exclusively(schemaFacts);
  if (found.tables === 0) {
    // Larger pages waste less space with rows of about 500 bytes. Both settings are stored in the file.
    await connection.exclusively((session) => session.script("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL"));
  }
  if (found.tables === 0 || (found.isOurs && found.version >= FIRST_VERSION && found.version < NEWEST_VERSION)) {
    await connection.exclusively((session) => session.transaction("schema", () => createOrMigrate(session)));
  }
  await checkSchema(connection);
}

/** Reads the version again, because another process may have migrated the database meanwhile. */
async function createOrMigrate(session: Session): Promise<void> {
  const { tables, version } = await schemaFacts(session);
  if (tables === 0) {
    await session.script(`
      ${SQLITE.tables(TABLES)}
      INSERT INTO data_version VALUES (0);
      PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${NEWEST_VERSION}`);
    await session.query("INSERT INTO secret VALUES (?)", [randomBytes(32)]);
    // Ids start at a random number, so that ids from another database at the same path match no rows of this one.
    await session.query("INSERT INTO sqlite_sequence VALUES ('product', ?)", [randomInt(1, 2 ** 31)]);
    await beginNextVersion(session);
  } else if (version < NEWEST_VERSION) {
    await migrate(session, version);
  }
}

/** @throws StoreUnavailableError if the database is of another program or of another version of this service */
export async function checkSchema(connection: Connection): Promise<void> {
  const { isOurs, version } = await connection.exclusively(schemaFacts);
  if (!isOurs) {
    throw new StoreUnavailableError("the database belongs to another program");
  }
  if (version !== NEWEST_VERSION) {
    throw new StoreUnavailableError(`the database has schema ${version}, this service reads schema ${NEWEST_VERSION}`);
  }
}

async function schemaFacts(session: Session) {
  const [[tables, application, version] = []] = await session.query(
    "SELECT (SELECT count(*) FROM sqlite_schema), * FROM pragma_application_id, pragma_user_version",
  );
  return { tables: Number(tables), isOurs: application === APPLICATION_ID, version: Number(version) };
}
