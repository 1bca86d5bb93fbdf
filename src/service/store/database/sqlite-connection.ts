import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { orTimeout, throwIfPast } from "../query-deadline.ts";
import { StoreUnavailableError } from "../store.ts";
import type { DatabaseAccess, Session } from "./database-session.ts";
import { type OpenDatabase, openDatabase, sqliteSession } from "./sqlite-session.ts";

const MEMORY = ":memory:";

export interface ConnectionOptions {
  /** Milliseconds to wait for locks of other connections. */
  lockWait?: number;
  /** Milliseconds after which the file is checked for changes. Default: it is checked before each use. */
  trustedTime?: number;
  /**
   * With `write`, SQLite does not create an empty database if the file has just disappeared. A file to `read` is opened
   * without locks, because locks need additional files.
   */
  access?: "write" | "read";
  /** Prepares a connection that was opened. */
  onOpen?: (session: Session) => Promise<void>;
}

/** What tells files apart: `stamp` changes when the file is changed or replaced, `file` only when it is replaced. */
interface FileIdentity {
  stamp: string;
  file: string;
}

/**
 * One connection to a database in a file or in memory. Its sessions take turns. It stays open, because the driver frees a
 * closed connection only when its statements are garbage collected. That to a file is opened again after an error and when
 * the file was changed or replaced.
 *
 * @param path of a file, or `:memory:`
 */
export function connectToSqlite(
  path: string,
  { lockWait = 0, trustedTime = 0, access = "write", onOpen = async () => {} }: ConnectionOptions = {},
): DatabaseAccess {
  let current: (FileIdentity & OpenDatabase) | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let lastTurn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async function opened(): Promise<FileIdentity & OpenDatabase> {
    const now = performance.now();
    if (current !== undefined && now - checkedAt < trustedTime) {
      return current;
    }
    const identity = await identityOf(path);
    checkedAt = now;
    if (current?.stamp !== identity.stamp) {
      shut();
      const mode = access === "write" ? "mode=rw" : "mode=ro&immutable=1";
      const place = path === MEMORY ? MEMORY : `${pathToFileURL(path).href}?${mode}`;
      current = { ...identity, ...openDatabase(place) };
      await onOpen(sqliteSession(current, lockWait, undefined)).catch((error) => {
        shut();
        throw error;
      });
    }
    return current;
  }

  function shut(): void {
    current?.statements.clear();
    current?.database.close();
    current = undefined;
  }

  return {
    use: (work, deadline) => {
      const turn = inTurn(async () => {
        throwIfPast(deadline);
        const database = await opened();
        try {
          return await work(sqliteSession(database, lockWait, deadline), database.file);
        } catch (error) {
          if (error instanceof StoreUnavailableError && path !== MEMORY) {
            shut();
          }
          throw error;
        }
      });
      return orTimeout(turn, deadline);
    },
    close: () => inTurn(async () => shut()),
  };
}

async function identityOf(path: string): Promise<FileIdentity> {
  if (path === MEMORY) {
    return { stamp: MEMORY, file: MEMORY };
  }
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${size}:${mtimeNs}`, file: `${dev}:${ino}` };
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} is missing`, { cause: error });
  }
}
