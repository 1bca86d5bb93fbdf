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
  /**
   * With `write`, SQLite does not create an empty database if the file has just disappeared. A file to `read` is opened
   * without locks, because locks need additional files.
   */
  access?: "write" | "read";
  /** Prepares a connection that was opened. */
  onOpen?: (session: Session) => Promise<void>;
}

/**
 * One connection to a database in a file or in memory. Its sessions take turns. It stays open, because the driver frees a
 * closed connection only when its statements are garbage collected. That to a file is opened again after an error.
 *
 * @param path of a file, or `:memory:`
 */
export function connectToSqlite(
  path: string,
  { lockWait = 0, access = "write", onOpen = async () => {} }: ConnectionOptions = {},
): DatabaseAccess {
  let current: OpenDatabase | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work);
    lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async function opened(): Promise<OpenDatabase> {
    if (current === undefined) {
      current = openDatabase(await placeOf(path, access));
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
          return await work(sqliteSession(database, lockWait, deadline));
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

async function placeOf(path: string, access: "write" | "read"): Promise<string> {
  if (path === MEMORY) {
    return MEMORY;
  }
  await stat(path).catch((error: unknown) => {
    throw new StoreUnavailableError(`the database file ${path} is missing`, { cause: error });
  });
  return `${pathToFileURL(path).href}?${access === "write" ? "mode=rw" : "mode=ro&immutable=1"}`;
}
