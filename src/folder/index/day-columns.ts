import { join } from "node:path";
import { FileError } from "../../contract/errors.ts";
import { type DuckDb, filePattern, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { placeOfDay } from "../day-files.ts";
import type { SyncState } from "../folder-state.ts";
import { checkDay } from "../synced-day.ts";

/** Columns of the file of a day; one that the file lacks is absent. */
interface DayColumns<Name extends string> {
  sha256: string;
  rows: number;
  columns: Partial<Record<Name, readonly unknown[]>>;
}

const MEMORY = 256 * 1024 * 1024;

/**
 * Reads columns of the file of a day.
 *
 * @param use an error of it is one of the file, too
 * @returns what `use` makes of them; undefined if the folder has no such day
 * @throws FileError if the file is missing, was altered or cannot be read
 */
export async function readDay<Name extends string, T>(
  { folder, state, signal }: { folder: string; state: SyncState; signal: AbortSignal },
  day: string,
  names: readonly Name[],
  use: (read: DayColumns<Name>) => T,
): Promise<T | undefined> {
  const path = join(folder, placeOfDay(day));
  for (;;) {
    const held = await checkDay(folder, day, state);
    if (held === undefined) {
      return undefined;
    }
    await using duckDb = await openDuckDb({ threads: 1, memory: MEMORY, files: [path], signal });
    try {
      const read = await columnsOf(duckDb, path, names);
      // A sync may have replaced the file meanwhile.
      if ((await checkDay(folder, day, state))?.sha256 === held.sha256) {
        return use({ sha256: held.sha256, ...read });
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof FileError
        ? error
        : new FileError(`${path} cannot be read as Parquet: ${(error as Error).message}`, path, error);
    }
  }
}

async function columnsOf<Name extends string>(duckDb: DuckDb, path: string, names: readonly Name[]) {
  return await duckDb.until(async (connection) => {
    const source = `read_parquet(${sqlText(filePattern(path))}, hive_partitioning = false)`;
    const known = (await connection.runAndReadAll(`DESCRIBE FROM ${source}`)).getColumns()[0] ?? [];
    const present = names.filter((name) => known.includes(name));
    const result = await connection.runAndReadAll(`SELECT ${["1", ...present].join(", ")} FROM ${source}`);
    const [ones = [], ...found] = result.getColumns();
    const columns = Object.fromEntries(present.map((name, index) => [name, found[index]]));
    return { rows: ones.length, columns: columns as Partial<Record<Name, readonly unknown[]>> };
  });
}
