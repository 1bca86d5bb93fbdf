import { Socket } from "node:net";
import pg from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { untilAborted } from "../../../contract/values/timer.ts";
import { RefusedChangeError, StoreUnavailableError } from "../store-types.ts";
import { type DatabaseAccess, onlyRow, type Session, type SqlParameter, transact } from "./database-session.ts";
import { POSTGRES, type SqlValue } from "./dialect.ts";
import { LocationError } from "./location.ts";
import { prepareTables } from "./prepare-tables.ts";

const OLDEST_SERVER = 15;

/** Connections of one process. */
const MAX_CONNECTIONS = 10;
/** Milliseconds to wait for a connection. */
const CONNECT_WAIT = 5_000;

/**
 * Settings of each connection. The server ends the query of a lost client within a second. Compiling a query takes longer than
 * running it. Plans that fit all parameters guess badly when to sort, so pages are read along an index wherever possible.
 */
const SETTINGS = "-c client_connection_check_interval=1000 -c jit=off -c work_mem=16MB -c enable_sort=off";

/** The lock of each kind of transaction, for which the next one waits. */
const LOCKS = {
  // Any numbers.
  schema: "SELECT pg_advisory_xact_lock(1380147572)",
  rows: "SELECT pg_advisory_xact_lock(1380147573)",
  records: "SET LOCAL lock_timeout = 60000; SELECT cursor FROM secret FOR UPDATE",
};

/** Of SQLSTATE: a value is too long for an index. */
const TOO_LONG = "54000";

/** Readers of the columns that the statements of the store return, by the id of their type. Other types are texts. */
const READERS: Readonly<Record<number, (text: string) => SqlValue>> = {
  17: (text) => Buffer.from(text.slice("\\x".length), "hex"),
  20: Number,
  23: Number,
};
const TYPES = { getTypeParser: (type: number) => READERS[type] ?? String };

/**
 * Opens a database and creates its tables if the first schema of its `search_path` is empty, unless the signal ends that.
 * @throws LocationError, StoreUnavailableError
 */
export async function openPostgres(url: string, signal?: AbortSignal): Promise<DatabaseAccess> {
  const connection = connectToPostgres(url);
  try {
    await connection.use(async (session) => {
      const { server, encoding } = await onlyRow<{ server: number; encoding: string }>(
        session,
        "SELECT current_setting('server_version_num')::int / 10000 AS server, current_setting('server_encoding') AS encoding",
      );
      if (server < OLDEST_SERVER) {
        throw new StoreUnavailableError(
          `the server is PostgreSQL ${server}, this service needs ${OLDEST_SERVER} or newer`,
        );
      }
      if (encoding !== "UTF8") {
        throw new StoreUnavailableError(`the database has the encoding ${encoding}, this service needs UTF8`);
      }
      await prepareTables(session);
    }, signal);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * A pool of connections to a PostgreSQL database, whose server need not be there yet. A connection that fails is closed, and the
 * next query opens another.
 *
 * @param url see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING @throws LocationError
 */
export function connectToPostgres(url: string): DatabaseAccess {
  const { options = "", ...config } = configOf(url);
  const sockets = new Set<Socket>();
  const openSocket = () => {
    const socket = new Socket();
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    return socket;
  };
  const pool = new pg.Pool({
    ...config,
    stream: openSocket,
    options: `${SETTINGS} ${options}`,
    fallback_application_name: "catalog",
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WAIT,
    keepAlive: true,
  });
  // A lost connection is an error of the query that uses it, or of none. Without listeners, it would end the process.
  const ignore = () => undefined;
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));

  async function withClient<T>(work: (session: Session) => Promise<T>, deadline?: AbortSignal): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    // If so, the connection is closed when it is released, and the next query opens another.
    let isLastUse = false;
    const onLastUse = () => {
      isLastUse = true;
    };
    // Closing the connection ends its query, also if the server does not respond.
    const cancel = () => {
      onLastUse();
      void client.end().catch(() => undefined);
    };
    try {
      deadline?.throwIfAborted();
      deadline?.addEventListener("abort", cancel, { once: true });
      return await work(sessionOf(client, deadline, onLastUse));
    } finally {
      deadline?.removeEventListener("abort", cancel);
      client.release(isLastUse);
    }
  }

  return {
    use: (work, deadline) => untilAborted(withClient(work, deadline), deadline),
    close: async () => {
      if (!pool.ending) {
        const ended = pool.end();
        // A server that does not respond would keep the process running.
        for (const socket of sockets) {
          socket.destroySoon();
        }
        await ended;
      }
    },
  };
}

/** @param onLastUse called if the connection must be closed after the session */
function sessionOf(client: pg.PoolClient, deadline: AbortSignal | undefined, onLastUse: () => void): Session {
  async function run<T>(work: () => Promise<T>): Promise<T> {
    deadline?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      deadline?.throwIfAborted();
      if (!(error instanceof pg.DatabaseError) || error.severity !== "ERROR") {
        onLastUse();
      }
      throw unavailable(error);
    }
  }

  const script = async (sql: string): Promise<void> => {
    await run(() => client.query(sql));
  };

  const query = async <T>(sql: string, values: readonly SqlParameter[] = []) => {
    const config = { ...namedStatement(sql), values: [...values], types: TYPES };
    return (await run(() => client.query(config))).rows as T[];
  };

  return {
    dialect: POSTGRES,
    query,
    script,
    insertNew: async (table, columns, rows) => {
      const [unique = ""] = Object.keys(columns);
      const lists = Object.values(columns).map((type) => `CAST(? AS ${type.split(" ")[0]}[])`);
      const inserted = await query<Record<string, SqlValue>>(
        `INSERT INTO ${table} SELECT * FROM unnest(${lists.join(", ")}) ON CONFLICT DO NOTHING RETURNING ${unique}`,
        lists.map((_, column) => rows.map((row) => row[column] ?? null)),
      );
      const isNew = new Set(inserted.map((row) => String(row[unique])));
      return [...rows.keys()].filter((position) => !isNew.delete(String(rows[position]?.[0])));
    },
    transaction: async (kind, work) => {
      if (kind === "stage") {
        // The temporary tables end with the connection.
        onLastUse();
        return await work();
      }
      const rollback = () => script("ROLLBACK").catch(onLastUse);
      return await transact(script, () => script(`BEGIN; ${LOCKS[kind]}`), work, rollback);
    },
  };
}

const named = new Map<string, { name: string; text: string }>();

/** A named statement, which a connection parses and plans once. Its parameters `?` and `?1` are written as PostgreSQL does. */
function namedStatement(sql: string): { name: string; text: string } {
  let statement = named.get(sql);
  if (statement === undefined) {
    let count = 0;
    const text = sql.replaceAll(/\?(\d*)/g, (_, number: string) => {
      count += 1;
      return `$${number || count}`;
    });
    statement = { name: `catalog_${named.size}`, text };
    named.set(sql, statement);
  }
  return statement;
}

/** @throws LocationError, which does not show the URL, because it may have a password */
function configOf(url: string) {
  try {
    return parseIntoClientConfig(url);
  } catch {
    throw new LocationError("this is no URL of a PostgreSQL database: use postgres://user@host:5432/name");
  }
}

function unavailable(error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === TOO_LONG) {
    return new RefusedChangeError("PostgreSQL takes no sku, product_id or name as long as this");
  }
  return new StoreUnavailableError(message || code, { cause: error });
}
