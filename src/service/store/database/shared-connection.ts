import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { StoreUnavailableError } from "../store.ts";
import { DatabaseConnection } from "./database-connection.ts";
import { checkSchema } from "./schema.ts";

/** An open connection. Once it is retired, it is closed when its last user is done. */
interface Lease {
  stamp: string;
  /** Tells the file from every other file. */
  file: string;
  connection: Promise<DatabaseConnection>;
  users: number;
}

/**
 * One connection to a database file, shared by all its users and kept open: the driver frees a closed one
 * only when its statements are collected. It is opened anew where it failed, and where the file was changed from
 * outside or another was put in its place.
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
   * @param trustedTime milliseconds for which the file is not looked at again
   */
  constructor(path: string, lockWait: number, trustedTime: number, access: "write" | "read" = "write") {
    this.#access = access;
    this.#path = path;
    this.#lockWait = lockWait;
    this.#trustedTime = trustedTime;
  }

  /**
   * @param work receives the connection and the identity of the database file
   * @throws StoreUnavailableError where the file is missing, damaged or of another program
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
      // The rows of a load wait in a temporary file. What it leaves of its write-ahead log is cut by a later write.
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
 * `mode=rw` keeps SQLite from making an empty database where the file has just gone. One that nobody can write to is
 * opened without locks, which would need files beside it.
 */
export function connectToFile(path: string, lockWait: number, access: "write" | "read" = "write"): DatabaseConnection {
  const mode = access === "write" ? "mode=rw" : "mode=ro&immutable=1";
  return new DatabaseConnection(`${pathToFileURL(path).href}?${mode}`, lockWait);
}

/** The stamp changes when the file is replaced or changed in place; the file's identity only when it is replaced. */
async function identify(path: string): Promise<{ stamp: string; file: string }> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${size}:${mtimeNs}`, file: `${dev}:${ino}` };
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} is missing`, { cause: error });
  }
}
