import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SetFilters } from "../../pull/set-filters.ts";
import { placeOfDay } from "../folder/day-files.ts";
import type { SyncState } from "../folder/folder-state.ts";
import { openDay } from "../folder/synced-day.ts";
import { brandsNamed } from "../prices/brands.ts";
import { openSqlSession, type SqlSession, sqlText } from "./session.ts";
import { pathPattern, rowStatement, rowsOf, tableStatements } from "./views.ts";

interface FolderSqlRequest {
  folder: string;
  /** What messages call the folder. */
  name: string;
  state: SyncState;
  filters: SetFilters;
  /** The brands whose rows exist, in any letter case; undefined for all. */
  brands: readonly string[] | undefined;
  /** Days of the folder whose files are read. */
  days: readonly string[];
  signal: AbortSignal;
  /** Memory limit of DuckDB in bytes; what does not fit goes to the system's temporary folder. */
  memory?: number | undefined;
}

/** Files that are read together. */
const AT_ONCE = 8;

const DEFAULT_MEMORY = 512 * 1024 ** 2;

/**
 * Opens DuckDB, read-only, over some days of a synced folder. Its tables (`views.ts`) have the rows that the filters and
 * brands match, and the days that are given; dates of the filters count only if each retailer has its own.
 *
 * @throws FileError if a file is missing or was altered
 * @throws SetChangedError if a sync is about to replace one
 * @throws UsageError if the folder has no row of a brand
 */
export async function withFolderSql<T>(
  { folder, name, state, filters, brands, days, signal, memory = DEFAULT_MEMORY }: FolderSqlRequest,
  use: (session: SqlSession) => Promise<T>,
): Promise<T> {
  // DuckDB takes flipped bits for values, so each file is compared with the state first.
  for (let first = 0; first < days.length; first += AT_ONCE) {
    signal.throwIfAborted();
    const opened = days.slice(first, first + AT_ONCE).map((day) => openDay(folder, day, state));
    await Promise.all(opened.map(async (day) => (await day)?.close()));
  }
  const scratch = await mkdtemp(join(await realpath(tmpdir()), "catalog-sql-"));
  try {
    const root = await realpath(folder);
    const paths = days.map((day) => join(root, placeOfDay(day)));
    const patterns = paths.map(pathPattern);
    const session = await openSqlSession({
      setUp: async (run) => {
        await run("CREATE SCHEMA own");
        const known = brands && (await run(`SELECT DISTINCT coalesce(brand, '') FROM (${rowsOf(patterns)})`)).flat();
        const named = brands && known && brandsNamed(brands, known, name);
        // Each statement that declares a table opens all files that it has by then.
        await run(rowStatement([]));
        for (const statement of tableStatements(condition(filters, named))) {
          await run(statement);
        }
        await run(rowStatement(patterns));
      },
      // DuckDB compares each of the two with its allowed paths.
      files: [...new Set([...patterns, ...paths])],
      resultFile: join(scratch, "result.parquet"),
      spillFolder: scratch,
      memory,
      signal,
    });
    try {
      return await use(session);
    } finally {
      session.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Filters and brands as a condition of SQL. */
function condition({ own_days, rcd, ...filters }: SetFilters, brands: readonly string[] | undefined): string {
  const isOneOf = (value: string, list: readonly string[]) => `${value} IN (${list.map(sqlText).join(", ")})`;
  const isOwnDay = Object.entries(own_days ?? {}).map(
    ([retailer, { start_date = "0001-01-01", end_date = "9999-12-31" }]) =>
      `retailer = ${sqlText(retailer)} AND crawl_date BETWEEN ${sqlText(start_date)} AND ${sqlText(end_date)}`,
  );
  const parts = [
    ...(["retailer", "category", "department"] as const).flatMap((name) => {
      const value = filters[name];
      return value === undefined ? [] : [`${name} = ${sqlText(value)}`];
    }),
    ...(rcd === undefined ? [] : [isOneOf("retailer || ':' || category || ':' || department", rcd.split(","))]),
    ...(brands === undefined ? [] : [isOneOf("brand", brands)]),
    ...(isOwnDay.length === 0 ? [] : [`(${isOwnDay.join(" OR ")})`]),
  ];
  return parts.length === 0 ? "true" : parts.join(" AND ");
}
