import { FileError } from "../../contract/errors.ts";
import { columnChunks } from "../../export/formats/parquet/parquet-rows.ts";
import type { SyncState } from "../folder-state.ts";
import { openDay } from "../synced-day.ts";

/** Columns of the file of a day; one that the file lacks is absent. */
interface DayColumns<Name extends string> {
  sha256: string;
  rows: number;
  columns: Partial<Record<Name, readonly unknown[]>>;
}

/**
 * Reads columns of the file of a day.
 *
 * @param use an error of it is one of the file, too
 * @returns what `use` makes of them; undefined if the folder has no such day
 * @throws FileError if the file is missing, was altered or cannot be read
 */
export async function readDay<Name extends string, T>(
  { folder, state }: { folder: string; state: SyncState },
  day: string,
  names: readonly Name[],
  use: (read: DayColumns<Name>) => T,
): Promise<T | undefined> {
  const file = await openDay(folder, day, state);
  if (file === undefined) {
    return undefined;
  }
  try {
    return use({ sha256: file.sha256, ...(await columnChunks(file.buffer, names)) });
  } catch (error) {
    throw new FileError(`${file.path} cannot be read as Parquet: ${(error as Error).message}`, file.path, error);
  } finally {
    await file.close();
  }
}
