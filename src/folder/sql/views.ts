import { sqlText } from "../../files/duckdb.ts";
import { crawledRows } from "../index/crawled-rows.ts";
import VIEWS from "./views.sql";

/**
 * The statements that declare the tables of `catalog sql` over the index of a folder.
 *
 * @param index name of the database of the index
 * @param files the day files
 * @param lastDay the newest day that counts for prices
 */
export function viewStatements(index: string, files: readonly string[], lastDay: string): string[] {
  const crawledRow = (some: readonly string[]) => `CREATE OR REPLACE TEMP VIEW "crawled row" AS ${crawledRows(some)}`;
  // Each statement that declares a view of it opens all files that it has by then.
  const views = VIEWS.replaceAll("$index", index).replaceAll("$last_day", `DATE ${sqlText(lastDay)}`);
  return [crawledRow([]), views, crawledRow(files)];
}
