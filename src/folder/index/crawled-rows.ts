import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { filePattern, sqlText } from "../../files/duckdb.ts";

const NUMBERS: readonly string[] = ["mrp", "selling_price", "discount_pct"];

/**
 * A query for the rows of day files as they were crawled, and the `place` of each in its file.
 *
 * The day comes from the name of the folder that holds the file, as in every reader of Hive folders. Files of earlier versions
 * also have it as a column, which is ignored. The empty first part fixes the order and types of the columns, and makes a
 * column null if no file has it.
 */
export function crawledRows(files: readonly string[]): string {
  const columns = PRODUCT_COLUMNS.map((name) => {
    const type = name === "crawl_date" ? "DATE" : NUMBERS.includes(name) ? "DOUBLE" : "VARCHAR";
    return `NULL::${type} AS ${name}`;
  });
  const empty = `SELECT ${columns.join(", ")}, NULL::BIGINT AS place WHERE false`;
  if (files.length === 0) {
    return empty;
  }
  const path = "path of the file";
  return `${empty} UNION ALL BY NAME
    SELECT regexp_extract("${path}", 'crawl_date=([0-9-]+)[^0-9-]part-0.parquet$', 1)::DATE AS crawl_date,
      file_row_number AS place, COLUMNS(name -> name NOT IN ('crawl_date', 'file_row_number', '${path}'))
    FROM read_parquet([${files.map((file) => sqlText(filePattern(file))).join(", ")}],
      hive_partitioning = false, union_by_name = true, file_row_number = true, filename = '${path}')`;
}
