import { quotient, scaled, unscaled } from "../../mirror/sql/exact.ts";
import { type QueryValue, sqlText } from "../../mirror/sql/session.ts";
import { NUMBER } from "../../mirror/sql/views.ts";
import type { BasketLine } from "./basket.ts";

/** The days of an index, `YYYY-MM-DD`. */
export interface IndexDays {
  start: string;
  end: string;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
}

/** Decimals of prices and of quantities that count. */
const [PRICE_SCALE, QUANTITY_SCALE] = [6, 3];

/**
 * Makes `own.basket`, `own.prices`: the prices of its products as in `prices_daily`, and `own.items`: its products at each
 * retailer, those without any price only if the basket names the retailer.
 */
export function basketTables(lines: readonly BasketLine[]): { sql: string; values?: readonly QueryValue[] }[] {
  const values = [
    lines.map(({ sku }) => sku),
    lines.map(({ retailer = "" }) => retailer),
    lines.map(({ quantity }) => quantity),
  ];
  return [
    {
      sql: `CREATE TABLE own.basket AS SELECT sku, wanted, ${scaled("quantity", QUANTITY_SCALE)} AS quantity FROM (
        SELECT unnest($1::VARCHAR[]) AS sku, unnest($2::VARCHAR[]) AS wanted, unnest($3::VARCHAR[]) AS quantity)`,
      values,
    },
    {
      sql: `CREATE TABLE own.prices AS SELECT * EXCLUDE (selling_price), ${scaled("selling_price", PRICE_SCALE)} AS price
        FROM (SELECT retailer, sku, crawl_date, unnest(arg_min({currency: currency, selling_price: selling_price},
            {price: selling_price, ${NUMBER}: ${NUMBER}}))
          FROM own.numbered_rows WHERE sku IN (SELECT sku FROM own.basket) GROUP BY retailer, sku, crawl_date)`,
    },
    {
      sql: `CREATE TABLE own.items AS
        SELECT DISTINCT known.retailer, sku, quantity FROM own.basket
          JOIN (SELECT DISTINCT retailer, sku FROM own.prices) known USING (sku) WHERE wanted IN ('', known.retailer)
        UNION SELECT wanted, sku, quantity FROM own.basket WHERE wanted IN (SELECT DISTINCT retailer FROM rows)`,
    },
  ];
}

/** The query of the first day on which a product of the basket has a price; none without one. */
export function firstDayQuery({ start, end, maxAge }: IndexDays): string {
  const oldest = maxAge === undefined ? "" : ` AND crawl_date >= DATE ${sqlText(start)} - ${maxAge}`;
  return `SELECT greatest(min(crawl_date), DATE ${sqlText(start)})::VARCHAR AS day FROM own.prices
    SEMI JOIN own.items USING (retailer, sku) WHERE crawl_date <= DATE ${sqlText(end)}${oldest}`;
}

/** The products that have a price on the base day, with it. */
function atBase(base: string, maxAge: number | undefined): string {
  const isKnown = maxAge === undefined ? "" : ` AND crawl_date >= DATE ${sqlText(base)} - ${maxAge}`;
  return `SELECT retailer, sku, arg_max(currency, crawl_date) AS currency, arg_max(price, crawl_date) AS base_price
    FROM own.prices WHERE crawl_date <= DATE ${sqlText(base)}${isKnown} GROUP BY retailer, sku`;
}

/** The query of the index, a row for each retailer, currency and day. */
export function indexQuery(base: string, { start, end, maxAge }: IndexDays): string {
  const isKnown = maxAge === undefined ? "" : ` AND prices.crawl_date >= days.crawl_date - ${maxAge}`;
  return `WITH at_base AS (${atBase(base, maxAge)}), days AS (
      SELECT DISTINCT retailer, crawl_date FROM rows
      WHERE crawl_date BETWEEN DATE ${sqlText(start)} AND DATE ${sqlText(end)}
    ), counts AS (SELECT retailer, count(*) AS products FROM own.items GROUP BY retailer
    ), worth AS (
      SELECT items.retailer, days.crawl_date, at_base.currency,
        CASE WHEN prices.currency = at_base.currency${isKnown} THEN items.quantity * prices.price END AS now,
        CASE WHEN now IS NOT NULL THEN items.quantity * base_price END AS before
      FROM own.items JOIN at_base USING (retailer, sku) JOIN days USING (retailer)
      ASOF LEFT JOIN own.prices ON prices.retailer = items.retailer AND prices.sku = items.sku
        AND days.crawl_date >= prices.crawl_date
    )
    SELECT retailer, crawl_date, currency, ${quotient("100 * sum(now)", "sum(before)")} AS index,
      ${unscaled("sum(now)", PRICE_SCALE + QUANTITY_SCALE)} AS basket_value, count(now) AS products_priced,
      any_value(products) AS products, DATE ${sqlText(base)} AS base_date,
      ${unscaled("sum(before)", PRICE_SCALE + QUANTITY_SCALE)} AS base_value
    FROM worth JOIN counts USING (retailer) GROUP BY retailer, crawl_date, currency`;
}

/**
 * The query of what the basket lacks: for each retailer its products, how many of them have a price on the base day, and
 * from which day on all have one that ever have.
 */
export function gapsQuery(base: string, { maxAge }: IndexDays): string {
  return `WITH at_base AS (${atBase(base, maxAge)}),
      firsts AS (SELECT retailer, sku, min(crawl_date) AS day FROM own.prices GROUP BY retailer, sku)
    SELECT retailer, count(*) AS products, count(base_price) AS at_base, max(day)::VARCHAR AS complete
    FROM own.items LEFT JOIN at_base USING (retailer, sku) LEFT JOIN firsts USING (retailer, sku)
    GROUP BY retailer ORDER BY retailer`;
}

/** The query of the skus that no retailer has. */
export const MISSING_QUERY =
  "SELECT sku FROM own.basket WHERE sku NOT IN (SELECT sku FROM own.items SEMI JOIN own.prices USING (retailer, sku)) ORDER BY sku";
