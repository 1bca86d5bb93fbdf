import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import { crawledRows, fileList } from "../index/crawled-rows.ts";
import { dropTemporary } from "../index/fill-index.ts";
import VIEWS from "./views.sql";

/**
 * The statements that declare the tables of `catalog sql`, over the table "observed row".
 *
 * @param files the day files, at least one
 * @param lastDay the newest day that counts for prices
 */
export function viewStatements(files: readonly string[], lastDay: string): string[] {
  const readFrom = (some: readonly string[]) => `SET VARIABLE day_files = ${fileList(some)}`;
  return [
    // To declare a view opens the files, of which one is enough.
    readFrom(files.slice(0, 1)),
    `CREATE TEMP VIEW "crawled row" AS ${crawledRows("getvariable('day_files')")}`,
    VIEWS.replaceAll("$last_day", `DATE ${sqlText(lastDay)}`),
    readFrom(files),
  ];
}

/**
 * Declares "observed row": the observations up to the newest day.
 *
 * @param isJudgedAgain whether days after the newest one are in the index, so that temporary tables have the observations.
 * These are dropped, because a table of the user may have any of their names
 */
export async function declareObserved(duckDb: DuckDb, lastDay: string, isJudgedAgain: boolean): Promise<void> {
  const upToLastDay = `day <= DATE ${sqlText(lastDay)}`;
  const rowsOf = async (sql: string) => (await duckDb.until((connection) => connection.runAndReadAll(sql))).getRows();
  if (!isJudgedAgain) {
    const [[index] = []] = await rowsOf("SELECT current_database()");
    // Not the view of the index, which would take a table of the user for the one that it is made of.
    await rowsOf(
      `CREATE TEMP VIEW "observed row" AS FROM ${index}.price_row WHERE excluded IS NULL AND ${upToLastDay}`,
    );
    return;
  }
  await rowsOf(`CREATE TEMP TABLE "observed row" AS FROM observation WHERE ${upToLastDay}`);
  await dropTemporary(duckDb, "observed row");
}
