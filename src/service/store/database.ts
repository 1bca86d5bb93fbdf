import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { Connection } from "./connection.ts";
import { checkSchema, createSchema } from "./schema.ts";
import { StoreUnavailableError } from "./store.ts";

/** Milliseconds that a read waits for a lock of another process. */
const READ_LOCK_WAIT = 1_000;

/** How connections to one embedded database are had. */
export interface Database {
  /** Runs `work` on the connection for reading; `file` tells the file that it reads from every other file. */
  reading<T>(work: (connection: Connection, file: string) => Promise<T>): Promise<T>;
  /** Runs `work` on a connection for writing, which waits `lockWait` milliseconds for other writers. */
  writing<T>(lockWait: number, work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A database in the memory of this process: one connection, which is all there is of it. */
export async function openMemoryDatabase(): Promise<Database> {
  const connection = new Connection(":memory:", 0);
  await createSchema(connection);
  return {
    reading: async (work) => await work(connection, "memory"),
    writing: async (_lockWait, work) => await work(connection),
    close: async () => await connection.close(),
  };
}

/** A connection that is shared by the reads under way, and closed after the last of them once it is retired. */
interface Reader {
  stamp: string;
  connection: Promise<Connection>;
  users: number;
}

/**
 * A database in a file, made with mode 0600 where it is missing. A file that vanishes later is not made
 * anew: reads fail until it is back, and a file that was put in its place is read from then on.
 */
export async function openFileDatabase(path: string): Promise<Database> {
  await createFile(path);
  await withConnection(path, READ_LOCK_WAIT, createSchema);
  let reader: Reader | undefined;

  async function retire(retired: Reader | undefined): Promise<void> {
    if (retired !== undefined && reader === retired) {
      reader = undefined;
    }
    if (retired?.users === 0) {
      await (await retired.connection.catch(() => undefined))?.close();
    }
  }

  async function leave(left: Reader): Promise<void> {
    left.users -= 1;
    if (left !== reader) {
      await retire(left);
    }
  }

  return {
    reading: async (work) => {
      const { stamp, file } = await identify(path);
      if (reader?.stamp !== stamp) {
        void retire(reader);
        reader = { stamp, connection: openChecked(path), users: 0 };
      }
      const used = reader;
      used.users += 1;
      try {
        return await work(await used.connection, file);
      } catch (error) {
        if (error instanceof StoreUnavailableError) {
          void retire(used);
        }
        throw error;
      } finally {
        await leave(used);
      }
    },
    writing: async (lockWait, work) => {
      await identify(path);
      return await withConnection(path, lockWait, async (connection) => {
        await checkSchema(connection);
        return await work(connection);
      });
    },
    close: async () => await retire(reader),
  };
}

async function createFile(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, "a", 0o600)).close();
  } catch (error) {
    throw new StoreUnavailableError(`the database file ${path} cannot be opened`, { cause: error });
  }
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

async function openChecked(path: string): Promise<Connection> {
  const connection = connect(path, READ_LOCK_WAIT);
  try {
    await checkSchema(connection);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function withConnection<T>(path: string, lockWait: number, work: (connection: Connection) => Promise<T>) {
  const connection = connect(path, lockWait);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** `mode=rw` keeps SQLite from making an empty database where the file has just gone. */
function connect(path: string, lockWait: number): Connection {
  return new Connection(`${pathToFileURL(path).href}?mode=rw`, lockWait);
}
