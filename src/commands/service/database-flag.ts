import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { FileError, UsageError } from "../../errors.ts";
import { type EmbeddedStore, openStore } from "../../service/store/embedded.ts";
import { IncidentOrderError, UnknownIncidentError } from "../../service/store/incidents.ts";
import { DuplicateKeyError, UnknownKeyError, UnknownScopeError } from "../../service/store/keys.ts";
import { LocationError, parseLocation } from "../../service/store/location.ts";
import { StoreUnavailableError } from "../../service/store/store.ts";

/** Opens the service's database for one command, which it is closed after. */
export async function withDatabase<T>(location: string, use: (store: EmbeddedStore) => Promise<T>): Promise<T> {
  return await reportingStoreErrors(location, async () => {
    await makeFolder(location);
    const store = await openStore(location);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  });
}

/** Makes the folder that a new database is to lie in, for its owner alone. */
export async function makeFolder(location: string): Promise<void> {
  const place = parseLocation(location);
  if (place.kind === "file") {
    const folder = dirname(place.path);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw new FileError(`the folder ${folder} cannot be made: ${(error as Error).message}`, folder, error);
    });
  }
}

/** Turns what the service's code throws into what the tool reports. */
export async function reportingStoreErrors<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LocationError) {
      throw new UsageError(error.message, { flag: "--database", value: location });
    }
    if (error instanceof StoreUnavailableError) {
      throw new FileError(`the database ${location} cannot be used: ${error.message}`, location, error);
    }
    if (error instanceof UnknownKeyError) {
      const hint = error.known.length === 0 ? "there are no keys" : `there are ${error.known.join(", ")}`;
      throw new UsageError(`${error.message}; ${hint}.`);
    }
    const isRefusal = [DuplicateKeyError, UnknownScopeError, UnknownIncidentError, IncidentOrderError].some(
      (kind) => error instanceof kind,
    );
    throw isRefusal ? new UsageError(`${(error as Error).message}.`) : error;
  }
}
