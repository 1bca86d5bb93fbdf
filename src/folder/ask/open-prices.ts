import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import MARK_ROWS from "../index/mark-rows.sql";
import { openPriceIndex, type PriceIndexRequest } from "../index/price-index.ts";
import { SUSPECT_FACTOR } from "../index/suspect-factor.ts";
import VIEWS from "../index/views.sql";

interface PricesRequest extends PriceIndexRequest {
  /** The newest day that counts. */
  lastDay: string;
  /** How far a price must be from the usual one to be suspect, in digits; undefined: no row is. */
  suspectFactor: string | undefined;
}

/**
 * Opens the prices of a synced folder up to a day. The index says which rows are suspect by all of its days and the default
 * factor. Otherwise they are judged again, for the few products that may have any.
 */
export async function openPrices(request: PricesRequest): Promise<DuckDb> {
  const index = await openPriceIndex(request);
  const { lastDay, suspectFactor } = request;
  const isAsStored = suspectFactor === SUSPECT_FACTOR && !Object.keys(index.state.days).some((day) => day > lastDay);
  if (isAsStored) {
    return index;
  }
  const run = (sql: string) => index.until((connection) => connection.run(sql));
  const factor = suspectFactor ?? "NULL";
  await run(`
    CREATE TEMP TABLE judged AS SELECT DISTINCT product FROM (
      SELECT product FROM price_row GROUP BY product, currency
      HAVING max(selling_price) >= least(${SUSPECT_FACTOR}, ${factor}) * min(selling_price) FILTER (selling_price > 0)
        OR min(selling_price) <= 0);
    CREATE TEMP TABLE unmarked AS SELECT * EXCLUDE (series, excluded) FROM price_row SEMI JOIN judged USING (product)
      WHERE day <= DATE ${sqlText(lastDay)};
    SET VARIABLE suspect_factor = ${factor}::DECIMAL(18, 6)`);
  await run(MARK_ROWS);
  // The same views once more. Temporary ones are found first.
  await run(VIEWS.replaceAll(/^CREATE /gm, "CREATE TEMP "));
  await run(`CREATE OR REPLACE TEMP VIEW price AS
    FROM price_row ANTI JOIN judged USING (product) WHERE day <= DATE ${sqlText(lastDay)} UNION ALL BY NAME FROM marked`);
  return index;
}
