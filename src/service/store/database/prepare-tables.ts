import { randomBytes } from "node:crypto";
import { beginVersion, commitVersion, publishVersion } from "../product-rows/versions.ts";
import { StoreUnavailableError } from "../store-types.ts";
import { onlyRow, type Session } from "./database-session.ts";
import { migrate } from "./migrations.ts";

const NEWEST_VERSION = 9;

/** Creates the tables of an empty database, or migrates those of an earlier version. @throws as `checkTables` */
export async function prepareTables(session: Session): Promise<void> {
  const { dialect } = session;
  const canMigrate = (version: number) => version in dialect.migrations;
  const found = await schemaVersion(session);
  if (found === 0) {
    await session.script(dialect.newDatabase);
  }
  if (found === 0 || canMigrate(found)) {
    await session.transaction("schema", async () => {
      // Another process may have created or migrated the tables meanwhile.
      const version = await schemaVersion(session);
      if (version === 0) {
        await createTables(session);
      } else if (canMigrate(version)) {
        await migrate(session, version);
      }
    });
    await publishVersion(session);
  }
  await checkTables(session);
}

/** @throws StoreUnavailableError if the tables are of another program or of another version of this service */
export async function checkTables(session: Session): Promise<void> {
  const version = await schemaVersion(session);
  if (version !== NEWEST_VERSION) {
    throw new StoreUnavailableError(`the database has schema ${version}, this service reads schema ${NEWEST_VERSION}`);
  }
}

async function createTables(session: Session): Promise<void> {
  await session.script(session.dialect.tables);
  await session.query("INSERT INTO secret (cursor) VALUES (?)", [randomBytes(32)]);
  await commitVersion(session, await beginVersion(session));
}

/** The version of the tables, and 0 if there are none. @throws StoreUnavailableError for those of another program */
async function schemaVersion(session: Session): Promise<number> {
  const { presence, version } = session.dialect;
  const found = await onlyRow<{ tables: number; own: number }>(session, presence);
  if (found.tables === 0) {
    return 0;
  }
  if (found.own === 0) {
    throw new StoreUnavailableError("the database belongs to another program");
  }
  return (await onlyRow<{ version: number }>(session, version)).version;
}
