import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { sqlTypeOf } from "../../export/formats/parquet.ts";
import { sqlText } from "../../files/duckdb.ts";

/**
 * The statements that declare the tables. Queries see those of the schema `main`.
 *
 * @param files the day files as patterns (`filePattern`)
 * @param observed a file with the rows of `observedQuery`, as a pattern
 */
export function tableStatements(files: readonly string[], observed: string): string[] {
  const rows = (some: readonly string[]) => `CREATE OR REPLACE VIEW own.numbered_rows AS ${rowsOf(some)}`;
  return [
    "CREATE SCHEMA own",
    // Each statement that declares a table opens all files that it has by then.
    rows([]),
    `CREATE VIEW rows AS SELECT * EXCLUDE (${NUMBER}) FROM own.numbered_rows`,
    `CREATE VIEW days AS SELECT crawl_date, count(*) AS rows, count(DISTINCT retailer) AS retailers,
       count(DISTINCT (retailer, category, department)) AS combinations FROM rows GROUP BY ALL ORDER BY crawl_date`,
    `CREATE VIEW combinations AS SELECT retailer, category, department, count(*) AS rows,
       count(DISTINCT sku) AS products, min(crawl_date) AS first_day, max(crawl_date) AS last_day
       FROM rows GROUP BY ALL ORDER BY ALL`,
    `CREATE VIEW own.observed AS SELECT * FROM read_parquet(${sqlText(observed)})
       SEMI JOIN (SELECT DISTINCT crawl_date FROM own.numbered_rows) USING (crawl_date)`,
    DAILY,
    LATEST,
    CHANGES,
    rows(files),
  ];
}

/** The column of `own.numbered_rows` with the place of a row in its file. */
const NUMBER = `"row of the file"`;

/**
 * The day comes from the path, as in every reader of such folders, but only from the folder right above the file: the
 * folders above the synced one may have names of this kind, too. Files of earlier versions have the day as a column. The
 * empty part gives the columns their order, and null to a column that no file has.
 */
function rowsOf(files: readonly string[]): string {
  const path = "path of the file";
  const columns = PRODUCT_COLUMNS.map((name) => `NULL::${sqlTypeOf(name)} AS ${name}`);
  const empty = `SELECT ${columns.join(", ")}, NULL::BIGINT AS ${NUMBER} WHERE false`;
  if (files.length === 0) {
    return empty;
  }
  return `${empty} UNION ALL BY NAME SELECT regexp_extract("${path}", 'crawl_date=([0-9-]+)[^0-9-]part-0.parquet$', 1)::DATE AS crawl_date,
      file_row_number AS ${NUMBER}, COLUMNS(name -> name NOT IN ('crawl_date', 'file_row_number', '${path}'))
    FROM read_parquet([${files.map(sqlText).join(", ")}],
      hive_partitioning = false, union_by_name = true, file_row_number = true, filename = '${path}')`;
}

/**
 * A query of the index for its observations, each with a step from the one before: a row of `own.observed`.
 *
 * @param lastDay the newest day that counts
 */
export function observedQuery(lastDay: string): string {
  return `SELECT product, day AS crawl_date, place AS ${NUMBER}, lag(day) OVER before AS previous_date,
      lag(selling_price) OVER before AS previous_price, lag(currency) OVER before AS previous_currency,
      selling_price <> previous_price OR currency <> previous_currency AS is_changed,
      CASE WHEN series = lag(series) OVER before THEN selling_price - previous_price END AS change,
      CASE WHEN series = lag(series) OVER before THEN percent_change(selling_price, previous_price) END AS percent
    FROM observation WHERE day <= DATE ${sqlText(lastDay)}
    WINDOW before AS (PARTITION BY product ORDER BY day)`;
}

const DAILY = `CREATE VIEW prices_daily AS SELECT * EXCLUDE (${NUMBER}) FROM own.numbered_rows
  SEMI JOIN own.observed USING (crawl_date, ${NUMBER})`;

const LATEST = `CREATE VIEW latest AS SELECT * EXCLUDE (${NUMBER}) FROM own.numbered_rows SEMI JOIN (
    SELECT max(crawl_date) AS crawl_date, arg_max(${NUMBER}, crawl_date) AS ${NUMBER} FROM own.observed GROUP BY product
  ) USING (crawl_date, ${NUMBER})`;

const CHANGES = `CREATE VIEW changes AS
  SELECT crawl_date, retailer, department, category, sku, brand, title, currency, selling_price,
    previous_date, previous_price::DOUBLE AS previous_price, previous_currency, change::DOUBLE AS change,
    percent::DOUBLE AS percent
  FROM own.numbered_rows JOIN own.observed USING (crawl_date, ${NUMBER}) WHERE is_changed`;
