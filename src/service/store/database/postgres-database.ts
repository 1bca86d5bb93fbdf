import { randomBytes, randomInt } from "node:crypto";
import { beginNextVersion } from "../product-rows/versions.ts";
import { StoreUnavailableError } from "../store.ts";
import { WINDOW_TABLE } from "../windows.ts";
import type { Database } from "./embedded-database.ts";
import { NEWEST_VERSION } from "./migrations.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { TABLES } from "./schema.ts";
import type { Session } from "./session.ts";

const OLDEST_SERVER = 15;

/** Any number: processes that create or migrate the tables of a database wait for one another. */
const MIGRATION_LOCK = 0x52_43_61_74;

/** `catalog_schema` marks the tables of this service, and has their version. */
const FACTS = `
  SELECT (current_setting('server_version_num')::int / 10000), current_setting('server_encoding'), count(*),
    count(*) FILTER (WHERE relname = 'catalog_schema')
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'f')`;

/**
 * A PostgreSQL database. The tables are in the first schema of its `search_path`, and are created if the schema is empty.
 *
 * @throws LocationError, StoreUnavailableError
 */
export async function openPostgresDatabase(url: string): Promise<Database> {
  const connection = new PostgresConnection(url);
  try {
    await connection.exclusively(async (session) => {
      if ((await schemaVersion(session)) === undefined) {
        await session.transaction("schema", () => createTables(session));
      }
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
  const shared = {
    use: async <T>(work: (used: PostgresConnection, file: string) => Promise<T>) => await work(connection, "postgres"),
    close: () => connection.close(),
  };
  const alias = { ...shared, close: async () => {} };
  return { reader: shared, writer: alias, windows: alias };
}

async function createTables(session: Session): Promise<void> {
  await session.query("SELECT pg_advisory_xact_lock(?)", [MIGRATION_LOCK]);
  // Another process may have created the tables meanwhile.
  if ((await schemaVersion(session)) !== undefined) {
    return;
  }
  await session.script(`
    ${session.dialect.tables(TABLES)}
    ${session.dialect.tables(WINDOW_TABLE)} WITH (fillfactor = 50);
    CREATE TABLE catalog_schema (version INTEGER NOT NULL);
    INSERT INTO catalog_schema VALUES (${NEWEST_VERSION});
    INSERT INTO data_version VALUES (0)`);
  await session.query("INSERT INTO secret VALUES (?)", [randomBytes(32)]);
  // Ids start at a random number, so that ids from another database at the same address match no rows of this one.
  await session.query("SELECT setval(pg_get_serial_sequence('product', 'id'), ?)", [randomInt(1, 2 ** 31)]);
  await beginNextVersion(session);
}

/**
 * The version of the tables. Undefined if there are none.
 *
 * @throws StoreUnavailableError if the service cannot use the server or the tables
 */
async function schemaVersion(session: Session): Promise<number | undefined> {
  const [[server, encoding, tables, own] = []] = await session.query(FACTS);
  if (Number(server) < OLDEST_SERVER) {
    throw new StoreUnavailableError(`the server is PostgreSQL ${server}, this service needs ${OLDEST_SERVER} or newer`);
  }
  if (encoding !== "UTF8") {
    throw new StoreUnavailableError(`the database has the encoding ${encoding}, this service needs UTF8`);
  }
  if (tables === 0) {
    return undefined;
  }
  if (own === 0) {
    throw new StoreUnavailableError("the database belongs to another program");
  }
  const [[version] = []] = await session.query("SELECT version FROM catalog_schema");
  if (version !== NEWEST_VERSION) {
    throw new StoreUnavailableError(`the database has schema ${version}, this service reads schema ${NEWEST_VERSION}`);
  }
  return version;
}
