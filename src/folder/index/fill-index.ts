import { createHash } from "node:crypto";
import { FileError } from "../../contract/errors.ts";
import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import type { SyncState } from "../folder-state.ts";
import { crawledRows, fileList } from "./crawled-rows.ts";
import MARK_ROWS from "./mark-rows.sql";
import READ_ROWS from "./read-rows.sql";
import { SUSPECT_FACTOR } from "./suspect-factor.ts";
import SUSPECT_ROWS from "./suspect-rows.sql";
import TABLES from "./tables.sql";
import VIEWS from "./views.sql";

/** Differs if the tables, their content or the views do. */
export const INDEX_VERSION = createHash("sha256")
  .update([TABLES, crawledRows("[]"), READ_ROWS, SUSPECT_FACTOR, SUSPECT_ROWS, MARK_ROWS, VIEWS].join())
  .digest("hex");

/** Identifies the days of a state with their content. */
export function daysKey({ days }: SyncState): string {
  const hash = createHash("sha256");
  for (const day of Object.keys(days).sort()) {
    hash.update(`${day} ${days[day]?.sha256}\n`);
  }
  return hash.digest("hex");
}

/** @throws FileError naming a file without SKUs or prices: its rows would be left out silently */
async function assertPriced(duckDb: DuckDb, files: readonly string[]): Promise<void> {
  if (files.length === 0) {
    return;
  }
  const sql = `SELECT file_name, count(*) FILTER (name = 'sku') FROM parquet_schema(${fileList(files)})
    GROUP BY file_name HAVING count(*) FILTER (name IN ('sku', 'selling_price')) < 2 LIMIT 1`;
  const [lacking] = (await duckDb.until((connection) => connection.runAndReadAll(sql))).getRows();
  if (lacking !== undefined) {
    const column = Number(lacking[1]) === 0 ? "sku" : "selling_price";
    const file = String(lacking[0]);
    throw new FileError(`${file} has no column ${column}`, file);
  }
}

/**
 * Fills an empty index with the rows of day files, and with those of the days `kept` of an attached older one, `old`.
 *
 * @throws FileError if a file cannot be read as Parquet; DuckDB's own error if days are kept, or the index cannot be written
 */
export async function fillIndex(
  duckDb: DuckDb,
  files: readonly string[],
  kept: ReadonlySet<string>,
  state: SyncState,
): Promise<void> {
  const run = (sql: string) => duckDb.until((connection) => connection.run(sql));
  await run(TABLES);
  await run(
    `CREATE TEMP TABLE unmarked (product INTEGER, day DATE, place INTEGER, listing INTEGER, currency VARCHAR,
      mrp DECIMAL(18, 4), selling_price DECIMAL(18, 4), discount_pct DOUBLE)`,
  );
  const keptRows =
    kept.size > 0 ? `old.price_row WHERE day IN (${[...kept].map(sqlText).join(", ")})` : "unmarked WHERE false";
  try {
    await assertPriced(duckDb, files);
    await run(`CREATE TEMP VIEW crawled_row AS ${crawledRows(fileList(files))}`);
    await run(`CREATE TEMP VIEW kept_row AS FROM ${keptRows}`);
    if (kept.size > 0) {
      // Leaves out listings and products of removed days, to which no kept row points.
      await run(`INSERT INTO listing FROM old.listing SEMI JOIN kept_row USING (listing);
        INSERT INTO product FROM old.product SEMI JOIN listing USING (product)`);
    }
    await run(READ_ROWS);
  } catch (error) {
    // With kept days the cause may be the older index: the caller then tries again without it.
    if (error instanceof FileError || kept.size > 0 || isOfWriting(error)) {
      throw error;
    }
    const message = (error as Error).message.replace(/\n[\s\S]*$/, "");
    throw new FileError(`a file of the folder cannot be read as Parquet: ${message}`, files[0] ?? "", error);
  }
  await run(VIEWS);
  await run(`SET VARIABLE suspect_factor = ${SUSPECT_FACTOR}::DECIMAL(15, 6)`);
  await run(`CREATE TEMP TABLE rare AS FROM rare_product;
    INSERT INTO unmarked BY NAME SELECT * EXCLUDE (series, excluded, next_day, is_new_price) FROM price_row SEMI JOIN rare USING (product)`);
  await run(SUSPECT_ROWS);
  await run(MARK_ROWS);
  await run("DELETE FROM price_row WHERE product IN (FROM rare); INSERT INTO price_row BY NAME FROM marked");
  const days = Object.entries(state.days).map(
    ([day, { sha256, rows }]) => `(DATE ${sqlText(day)}, ${sqlText(sha256)}, ${rows})`,
  );
  if (days.length > 0) {
    await run(`INSERT INTO day VALUES ${days.join(", ")}`);
  }
  await run(`INSERT INTO meta VALUES (${sqlText(INDEX_VERSION)}, ${sqlText(daysKey(state))})`);
  // Questions make some of the same names, in this connection if the index is in memory.
  await dropTemporary(duckDb);
  await run("CHECKPOINT");
}

/** Whether DuckDB could not write its file, as on a full disk. */
export function isOfWriting(error: unknown): boolean {
  return error instanceof Error && /Could not (?:write|fsync)/.test(error.message);
}

/** Drops all temporary tables and views but one. */
export async function dropTemporary(duckDb: DuckDb, kept = ""): Promise<void> {
  const made = `SELECT 'TABLE', table_name FROM duckdb_tables() WHERE temporary
    UNION ALL SELECT 'VIEW', view_name FROM duckdb_views() WHERE temporary AND NOT internal`;
  const names = (await duckDb.until((connection) => connection.runAndReadAll(made))).getRows();
  for (const [kind, name] of names.filter(([, name]) => name !== kept)) {
    await duckDb.until((connection) => connection.run(`DROP ${kind} temp."${name}"`));
  }
}
