import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { StoreUnavailableError } from "../store.ts";
import { DatabaseConnection } from "./database-connection.ts";
import { checkSchema } from "./schema.ts";

/** An open connection. A retired connection is closed when its last user is done. */
interface Lease {
  stamp: string;
  /** Identifies the file. */
  file: string;
  connection: Promise<DatabaseConnection>;
  users: number;
}

/**
 * One connection to a database file, shared by all users. It stays open, because the driver frees a closed connection
 * only when its statements are garbage collected. It is reopened after an error and when the file was changed or
 * replaced.
 */
export class SharedConnection {
  readonly #path: string;
  readonly #lockWait: number;
  readonly #trustedTime: number;
  readonly #access: "write" | "read";
  #current: Lease | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param lockWait milliseconds to wait for locks of other connections
   * @param trustedTime milliseconds after which the file is checked for changes
   */
  constructor(path: string, lockWait: number, trustedTime: number, access: "write" | "read" = "write") {
    this.#access = access;
    this.#path = path;
    this.#lockWait = lockWait;
    this.#trustedTime = trustedTime;
  }

  /**
   * @param work receives the connection and the identity of the database file
   * @throws StoreUnavailableError if the file is missing, damaged or of another program
   */
  async use<T>(work: (connection: DatabaseConnection, file: string) => Promise<T>): Promise<T> {
    const lease = await this.#lease();
    lease.users += 1;
    try {
      return await work(await lease.connection, lease.file);
    } catch (error) {
      if (error instanceof StoreUnavailableError) {
        void this.#retire(lease);
      }
      throw error;
    } finally {
      lease.users -= 1;
      if (lease !== this.#current) {
        await this.#retire(lease);
      }
    }
  }

  async #lease(): Promise<Lease> {
    const now = performance.now();
    if (this.#current !== undefined && now - this.#checkedAt < this.#trustedTime) {
      return this.#current;
    }
    const { stamp, file } = await identify(this.#path);
    this.#checkedAt = now;
    if (this.#current?.stamp !== stamp) {
      void this.#retire(this.#current);
      this.#current = { stamp, file, connection: this.#open(), users: 0 };
    }
    return this.#current;
  }

  async close(): Promise<void> {
    await this.#retire(this.#current);
  }

  async #open(): Promise<DatabaseConnection> {
    const connection = connectToFile(this.#path, this.#lockWait, this.#access);
    try {
      await checkSchema(connection);
      // Staged rows of a load are in a temporary file. A later write truncates the write-ahead log.
      await connection.exclusively((session) =>
        session.script("PRAGMA temp_store = FILE; PRAGMA journal_size_limit = 67108864"),
      );
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #retire(lease: Lease | undefined): Promise<void> {
    if (this.#current === lease) {
      this.#current = undefined;
    }
    if (lease?.users === 0) {
      await (await lease.connection.catch(() => undefined))?.close();
    }
  }
}

/**
 * With `mode=rw`, SQLite does not create an empty database if the file has just disappeared. A read-only file is opened
 * without locks, because locks need additional files.
 */
export function connectToFile(path: string, lockWait: number, access: "write" | "read" = "write"): DatabaseConnection {
  const mode = access === "write" ? "mode=rw" : "mode=ro&immutable=1";
  return new DatabaseConnection(`${pathToFileURL(path).href}?${mode}`, lockWait);
}

/** `stamp` changes when the file is changed or replaced, `file` only when it is replaced. */
async function identify(path: string): Promise<{ stamp: string; file: string }> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${size}:${mtimeNs}`, file: `${dev}:${ino}` };
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} is missing`, { cause: error });
  }
}
