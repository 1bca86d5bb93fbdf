import { stat } from "node:fs/promises";
import type { Reporter } from "../../cli/reporter.ts";
import { FileError, LockedError, NetworkError, UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { errorCode } from "../../files/system-error.ts";
import { databasePath, isPostgres, LocationError, shownLocation } from "../../service/store/database/location.ts";
import { openStore, type Store, type StoreOpening } from "../../service/store/store.ts";
import { RefusedChangeError, StoreUnavailableError } from "../../service/store/store-types.ts";
import { type ServiceCall, type Subcommand, subcommand } from "./subcommand.ts";

interface OpenedDatabase extends StoreOpening {
  database: string;
}

export async function withDatabase<T>(
  { database, ...options }: OpenedDatabase,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    const store = await openStore(database, options);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw reportedError(error, database);
  }
}

/**
 * A command that works with the store of its database.
 *
 * @param creates whether it may create the database; otherwise it fails if there is none
 */
export function storeCommand<Flags, Operands extends unknown[], Options>({
  creates = false,
  parse,
  run,
}: Pick<Subcommand<Flags, Operands, Options>, "parse"> & {
  creates?: boolean;
  run: (call: ServiceCall<Options> & { store: Store }) => Promise<void>;
}) {
  return subcommand<Flags, Operands, Options>({
    parse,
    run: async (call) => {
      const { database } = call.options;
      if (!creates && !(await hasDatabase(database))) {
        throw new FileError(
          `there is no database ${databasePath(database)}; create one with \`catalog service load\` or \`catalog service keys create\`, or name another with --database`,
          database,
        );
      }
      await withDatabase({ database, signal: call.signal }, (store) => run({ ...call, store }));
    },
  });
}

/** Whether the file of a database is there; always true for PostgreSQL and `:memory:`. @throws UsageError */
export async function hasDatabase(location: string): Promise<boolean> {
  try {
    const path = databasePath(location);
    return path === undefined || (await stat(path).catch(() => undefined)) !== undefined;
  } catch (error) {
    throw reportedError(error, location);
  }
}

function reportedError(error: unknown, location: string): unknown {
  if (error instanceof LocationError) {
    return new UsageError(error.message, { flag: "--database", value: shownLocation(location) });
  }
  if (error instanceof StoreUnavailableError) {
    const shown = shownLocation(location);
    if (isPostgres(location) && isAway(error)) {
      return new NetworkError(`the database server of ${shown} is not available: ${error.message}`, { cause: error });
    }
    // Of SQLite, and of PostgreSQL after its lock_timeout.
    if (["SQLITE_BUSY", "55P03"].includes(errorCode(error.cause) ?? "")) {
      return new LockedError(`another process keeps the database ${shown} locked`);
    }
    return new FileError(`the database ${shown} cannot be used: ${error.message}`, shown, error);
  }
  return error instanceof RefusedChangeError ? new UsageError(`${error.message}.`) : error;
}

/** Whether a server cannot be reached, or takes no connections now: by a system error, an SQLSTATE or a message of the driver. */
function isAway({ message, cause }: StoreUnavailableError): boolean {
  return (
    /^(E(?!RR_)[A-Z_]+|08\w{3}|53300|57P0[123])$/.test(errorCode(cause) ?? "") ||
    /^(Connection terminated|timeout exceeded)/.test(message)
  );
}

/** Warns about granted retailers without rows in the database: for a misspelt one, the team would see no rows. */
export async function warnOfUnknownRetailers(
  store: Store,
  granted: readonly string[] | null | undefined,
  reporter: Pick<Reporter, "warn">,
): Promise<void> {
  const rows = await store.read((session) =>
    session.query<{ retailer: string }>("SELECT DISTINCT retailer FROM combination WHERE days <> '[]'"),
  );
  const known = rows.map(({ retailer }) => retailer);
  for (const retailer of (granted ?? []).filter((slug) => !known.includes(slug))) {
    const [near] = closest(retailer, known, 1);
    const meant = near === undefined ? "." : `; did you mean ${near}?`;
    reporter.warn(`the database has no rows of the retailer ${quoted(retailer)} yet${meant}`);
  }
}
