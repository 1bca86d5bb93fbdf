import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { StoreUnavailableError } from "../store.ts";
import type { DatabaseAccess, Session } from "./database-session.ts";
import { checkTables } from "./prepare-tables.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/** An open connection. A retired connection is closed when its last user is done. */
interface Lease {
  stamp: string;
  /** Identifies the file. */
  file: string;
  connection: Promise<SqliteConnection>;
  users: number;
}

interface ConnectionOptions {
  /** Default: `write`. */
  access?: "write" | "read";
  /** Prepares a new connection. */
  onOpen?: ((session: Session) => Promise<void>) | undefined;
}

/**
 * One connection to a database file. It stays open, because the driver frees a closed connection only when its statements
 * are garbage collected. It is reopened after an error and when the file was changed or replaced.
 *
 * @param lockWait milliseconds to wait for locks of other connections
 * @param trustedTime milliseconds after which the file is checked for changes
 */
export function connectToSharedFile(
  path: string,
  lockWait: number,
  trustedTime: number,
  { access = "write", onOpen = async () => undefined }: ConnectionOptions = {},
): DatabaseAccess {
  let current: Lease | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function lease(): Promise<Lease> {
    const now = performance.now();
    if (current !== undefined && now - checkedAt < trustedTime) {
      return current;
    }
    const { stamp, file } = await fileIdentity(path);
    checkedAt = now;
    if (current?.stamp !== stamp) {
      void retire(current);
      current = { stamp, file, connection: open(), users: 0 };
    }
    return current;
  }

  async function open(): Promise<SqliteConnection> {
    const connection = connectToFile(path, lockWait, access);
    try {
      await connection.use(async (session) => {
        await checkTables(session);
        // Staged rows of a load are in a temporary file. A later write truncates the write-ahead log.
        await session.script("PRAGMA temp_store = FILE; PRAGMA journal_size_limit = 67108864");
        await onOpen(session);
      });
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async function retire(lease: Lease | undefined): Promise<void> {
    if (current === lease) {
      current = undefined;
    }
    if (lease?.users === 0) {
      await (await lease.connection.catch(() => undefined))?.close();
    }
  }

  return {
    use: async (work, deadline) => {
      const used = await lease();
      used.users += 1;
      try {
        const connection = await used.connection;
        return await connection.use((session) => work(session, used.file), deadline);
      } catch (error) {
        if (error instanceof StoreUnavailableError) {
          void retire(used);
        }
        throw error;
      } finally {
        used.users -= 1;
        if (used !== current) {
          await retire(used);
        }
      }
    },
    close: async () => await retire(current),
  };
}

/**
 * With `mode=rw`, SQLite does not create an empty database if the file has just disappeared. A read-only file is opened
 * without locks, because locks need additional files.
 */
export function connectToFile(path: string, lockWait: number, access: "write" | "read" = "write"): SqliteConnection {
  const mode = access === "write" ? "mode=rw" : "mode=ro&immutable=1";
  return new SqliteConnection(`${pathToFileURL(path).href}?${mode}`, lockWait);
}

/** `stamp` changes when the file is changed or replaced, `file` only when it is replaced. */
async function fileIdentity(path: string): Promise<{ stamp: string; file: string }> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${size}:${mtimeNs}`, file: `${dev}:${ino}` };
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} is missing`, { cause: error });
  }
}
