import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { fileGlob, sqlText } from "../../files/duckdb.ts";

const NUMBERS: readonly string[] = ["mrp", "selling_price", "discount_pct"];

/**
 * A query for the rows of day files as they were crawled, and the `place` of each in its file.
 *
 * The day comes from the name of the folder that holds the file, as in every reader of Hive folders. Files that also have it as a
 * column are read without that column. The empty first part fixes the order and types of the columns, and makes a column null if no
 * file has it.
 *
 * @param files SQL for the list of files, see `fileList`; undefined for none
 */
export function crawledRows(files: string | undefined): string {
  const columns = PRODUCT_COLUMNS.map((name) => {
    const type = name === "crawl_date" ? "DATE" : NUMBERS.includes(name) ? "DOUBLE" : "VARCHAR";
    return `NULL::${type} AS ${name}`;
  });
  const empty = `SELECT ${columns.join(", ")}, NULL::BIGINT AS place WHERE false`;
  if (files === undefined) {
    return empty;
  }
  const path = "path of the file";
  return `${empty} UNION ALL BY NAME
    SELECT regexp_extract("${path}", 'crawl_date=([0-9-]+)[^0-9-]part-0.parquet$', 1)::DATE AS crawl_date,
      file_row_number AS place, COLUMNS(name -> name NOT IN ('crawl_date', 'file_row_number', '${path}'))
    FROM read_parquet(${files},
      hive_partitioning = false, union_by_name = true, file_row_number = true, filename = '${path}')`;
}

/** SQL for a list of files; undefined for none, of which DuckDB knows no type. */
export function fileList(files: readonly string[]): string | undefined {
  return files.length === 0 ? undefined : `[${files.map((file) => sqlText(fileGlob(file))).join(", ")}]`;
}
