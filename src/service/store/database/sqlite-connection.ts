import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { orTimeout, throwIfPast } from "../query-deadline.ts";
import { StoreUnavailableError } from "../store.ts";
import type { DatabaseAccess, Session } from "./database-session.ts";
import { SqliteDriver } from "./sqlite-driver.ts";

const MEMORY = ":memory:";

interface ConnectionOptions {
  /**
   * With `write`, SQLite does not create an empty database if the file has just disappeared. A file to `read` is opened
   * without locks, because locks need additional files.
   */
  access?: "write" | "read";
  /** Milliseconds after which the file is checked for changes. Default: it is checked before each use. */
  trustedTime?: number;
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
 */
export class SqliteConnection implements DatabaseAccess {
  readonly #path: string;
  readonly #lockWait: number;
  readonly #options: ConnectionOptions;
  #open: (FileIdentity & { driver: SqliteDriver }) | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * @param path of a file, or `:memory:`
   * @param lockWait milliseconds to wait for locks of other connections
   */
  constructor(path: string, lockWait: number, options: ConnectionOptions = {}) {
    this.#path = path;
    this.#lockWait = lockWait;
    this.#options = options;
  }

  /** Waits for its turn, then gives `work` the connection alone. The deadline interrupts a running query. */
  use<T>(work: (session: Session, file: string) => Promise<T>, deadline?: AbortSignal): Promise<T> {
    const turn = this.#inTurn(async () => {
      throwIfPast(deadline);
      const { driver, file } = await this.#opened();
      try {
        return await work(driver.session(deadline), file);
      } catch (error) {
        if (error instanceof StoreUnavailableError && this.#path !== MEMORY) {
          this.#shut();
        }
        throw error;
      }
    });
    return orTimeout(turn, deadline);
  }

  /** Closes after all waiting sessions. */
  async close(): Promise<void> {
    await this.#inTurn(async () => this.#shut());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  #shut(): void {
    this.#open?.driver.close();
    this.#open = undefined;
  }

  async #opened() {
    const { access = "write", trustedTime = 0, onOpen } = this.#options;
    const now = performance.now();
    if (this.#open !== undefined && now - this.#checkedAt < trustedTime) {
      return this.#open;
    }
    const identity = await identityOf(this.#path);
    this.#checkedAt = now;
    if (this.#open?.stamp !== identity.stamp) {
      this.#shut();
      const mode = access === "write" ? "mode=rw" : "mode=ro&immutable=1";
      const place = this.#path === MEMORY ? MEMORY : `${pathToFileURL(this.#path).href}?${mode}`;
      this.#open = { ...identity, driver: new SqliteDriver(place, this.#lockWait) };
      await onOpen?.(this.#open.driver.session()).catch((error) => {
        this.#shut();
        throw error;
      });
    }
    return this.#open;
  }
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
