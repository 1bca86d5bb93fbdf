import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { sqlTypeOf } from "../../export/formats/parquet.ts";
import { sqlText } from "../../files/duckdb.ts";

/**
 * The statements that declare the tables. Queries see those of the schema `main`.
 *
 * @param files the day files as patterns (`filePattern`)
 */
export function tableStatements(files: readonly string[]): string[] {
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
    DEARER_ROWS,
    `CREATE VIEW prices_daily AS SELECT * EXCLUDE (${NUMBER}) FROM own.numbered_rows
       ANTI JOIN own.dearer_rows USING (crawl_date, ${NUMBER})`,
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

/** The columns of a product and its day. */
const KEY = "retailer, sku, crawl_date";

/**
 * The rows of a product and day but the one that counts: that with the lowest price, and of several such the first, as in
 * `collectSeries` and `findMovers`. They are few, so only keys whose hash is there twice are sorted: a window over all rows
 * takes twice the time of the hashes, and over all columns fifteen times.
 */
const DEARER_ROWS = `CREATE VIEW own.dearer_rows AS SELECT crawl_date, ${NUMBER} FROM own.numbered_rows
  WHERE hash(${KEY}) IN (
    SELECT key FROM (SELECT hash(${KEY}) AS key FROM own.numbered_rows) GROUP BY key HAVING count(*) > 1
  )
  QUALIFY row_number() OVER (PARTITION BY ${KEY} ORDER BY selling_price, ${NUMBER}) > 1`;

/**
 * Rows by the same rule. Which they are is found by few columns, and the others are read for these rows alone: a window over
 * all columns takes three times as long, and twice the memory.
 */
const LATEST = `CREATE VIEW latest AS SELECT * EXCLUDE (${NUMBER}) FROM own.numbered_rows SEMI JOIN (
    SELECT unnest(arg_min({crawl_date: crawl_date, ${NUMBER}: ${NUMBER}},
      {age: -epoch(crawl_date), price: selling_price, ${NUMBER}: ${NUMBER}}))
    FROM own.numbered_rows GROUP BY retailer, sku
  ) USING (crawl_date, ${NUMBER})`;

/**
 * A difference of two prices is that of their decimals: 2 for 19.99 and 17.99, not 1.9999999999999982. A percentage is
 * rounded to two decimals by its exact binary value, and halves, which only eighths can be, away from zero.
 */
const CHANGES = `CREATE VIEW changes AS
  WITH steps AS (
    SELECT crawl_date, ${NUMBER}, selling_price, currency, lag(crawl_date) OVER before AS previous_date,
      lag(selling_price) OVER before AS previous_price, lag(currency) OVER before AS previous_currency
    FROM own.numbered_rows ANTI JOIN own.dearer_rows USING (crawl_date, ${NUMBER})
    WINDOW before AS (PARTITION BY retailer, sku ORDER BY crawl_date)
  ), compared AS (
    SELECT * EXCLUDE (selling_price, currency), currency = previous_currency AS is_same_currency,
      (selling_price - previous_price) / previous_price * 100 AS exact
    FROM steps WHERE previous_date IS NOT NULL
      AND (selling_price IS DISTINCT FROM previous_price OR currency IS DISTINCT FROM previous_currency)
  )
  SELECT crawl_date, retailer, department, category, sku, brand, title, currency, selling_price,
    previous_date, previous_price, previous_currency,
    CASE WHEN is_same_currency THEN coalesce(
      TRY_CAST(selling_price::VARCHAR AS DECIMAL(38, 12)) - TRY_CAST(previous_price::VARCHAR AS DECIMAL(38, 12)),
      selling_price - previous_price)::DOUBLE END AS change,
    CASE WHEN is_same_currency AND previous_price > 0 THEN
      CASE WHEN exact * 8 = trunc(exact * 8) THEN round(exact, 2) ELSE printf('%.2f', exact)::DOUBLE END
    END AS percent
  FROM own.numbered_rows JOIN compared USING (crawl_date, ${NUMBER})`;
