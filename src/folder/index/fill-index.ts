import { createHash } from "node:crypto";
import { FileError } from "../../contract/errors.ts";
import { type DuckDb, filePattern, sqlText } from "../../files/duckdb.ts";
import type { SyncState } from "../folder-state.ts";
import ADD_DAYS from "./add-days.sql";
import { crawledRows } from "./crawled-rows.ts";
import MARK_ROWS from "./mark-rows.sql";
import { SUSPECT_FACTOR } from "./suspect-factor.ts";
import SUSPECT_ROWS from "./suspect-rows.sql";
import TABLES from "./tables.sql";
import VIEWS from "./views.sql";

/** Another one for each change of the tables, their content or the views. */
export const INDEX_VERSION = createHash("sha256")
  .update([TABLES, ADD_DAYS, SUSPECT_ROWS, MARK_ROWS, VIEWS].join())
  .digest("hex");

/** Day files whose rows are in memory together. */
const FILES_AT_ONCE = 90;

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
  const list = files.map((file) => sqlText(filePattern(file))).join(", ");
  const sql = `SELECT file_name, count(*) FILTER (name = 'sku') FROM parquet_schema([${list}])
    GROUP BY file_name HAVING count(*) FILTER (name IN ('sku', 'selling_price')) < 2 LIMIT 1`;
  const [lacking] = (await duckDb.until((connection) => connection.runAndReadAll(sql))).getRows();
  if (lacking !== undefined) {
    const what = Number(lacking[1]) === 0 ? "text in the column sku" : "number in the column selling_price";
    const file = String(lacking[0]);
    throw new FileError(`${file} cannot be read as Parquet: row 1 has no ${what}`, file);
  }
}

/**
 * Fills an empty index with the rows of day files, and with those of the days `kept` of an attached older one, `old`.
 *
 * @throws FileError if a file cannot be read as Parquet
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
  if (kept.size > 0) {
    await run(`INSERT INTO product FROM old.product; INSERT INTO listing FROM old.listing;
      INSERT INTO unmarked SELECT product, day, place, listing, currency, mrp, selling_price, discount_pct
      FROM old.price_row WHERE day IN (${[...kept].map(sqlText).join(", ")})`);
  }
  if (files.length > 0) {
    try {
      await assertPriced(duckDb, files);
      for (let first = 0; first < files.length; first += FILES_AT_ONCE) {
        const some = files.slice(first, first + FILES_AT_ONCE);
        await run(`CREATE OR REPLACE TEMP VIEW crawled_row AS ${crawledRows(some)}`);
        await run(ADD_DAYS);
      }
    } catch (error) {
      if (error instanceof FileError) {
        throw error;
      }
      const message = (error as Error).message.replace(/\n[\s\S]*$/, "");
      throw new FileError(`a file of the folder cannot be read as Parquet: ${message}`, files[0] ?? "", error);
    }
  }
  await run(`SET VARIABLE suspect_factor = ${SUSPECT_FACTOR}::DECIMAL(15, 6)`);
  await run(SUSPECT_ROWS);
  await run(MARK_ROWS);
  await run("CREATE TABLE price_row AS FROM marked ORDER BY product, day, place");
  await run(`CREATE TABLE row_count AS SELECT day, retailer, department, category, brand, count(*)::INTEGER AS rows
    FROM price_row JOIN listing USING (product, listing) GROUP BY ALL`);
  await run(VIEWS);
  const days = Object.entries(state.days).map(
    ([day, { sha256, rows }]) => `(DATE ${sqlText(day)}, ${sqlText(sha256)}, ${rows})`,
  );
  if (days.length > 0) {
    await run(`INSERT INTO day VALUES ${days.join(", ")}`);
  }
  await run(`INSERT INTO meta VALUES (${sqlText(INDEX_VERSION)}, ${sqlText(daysKey(state))})`);
  await run("CHECKPOINT");
}
