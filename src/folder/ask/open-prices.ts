import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import MARK_ROWS from "../index/mark-rows.sql";
import { type OpenPriceIndex, openPriceIndex, type PriceIndexRequest } from "../index/price-index.ts";
import { SUSPECT_FACTOR } from "../index/suspect-factor.ts";
import SUSPECT_ROWS from "../index/suspect-rows.sql";
import VIEWS from "../index/views.sql";
import { type Parameters, runStatement } from "./ask.ts";

interface PricesRequest extends PriceIndexRequest {
  /** The newest day that counts. */
  lastDay: string;
  /** How far a price must be from the usual one to be suspect, in digits; undefined if no row is to be suspect. */
  suspectFactor: string | undefined;
  /** What the filters match: the parameters of the macro `scope`. */
  scope: Parameters;
}

/** The filters that can match some rows of a product and not others. */
const ROW_FILTERS = ["departments", "categories", "combinations", "brands"] as const;

const WANTED = "SELECT listing FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)";

/**
 * Opens the prices of a synced folder up to a day. The index marks which rows count, judged by all of its days and rows and by
 * the default factor. If a question has an earlier day, another factor or filters, the few products for which that makes a
 * difference are judged again here.
 */
export async function openPrices(request: PricesRequest): Promise<OpenPriceIndex> {
  const index = await openPriceIndex(request);
  const { lastDay, suspectFactor, scope } = request;
  const hasOtherSuspects =
    suspectFactor !== SUSPECT_FACTOR || Object.keys(index.state.days).some((day) => day > lastDay);
  const hasFilter = ROW_FILTERS.some((name) => scope[name] !== null);
  if (hasOtherSuspects || hasFilter) {
    await markAgain(index, { lastDay, factor: suspectFactor ?? "NULL", scope, hasFilter });
  }
  return index;
}

/** Decides again which rows count of the products for which it may be different, in views that take the place of the index's. */
async function markAgain(
  duckDb: DuckDb,
  { lastDay, factor, scope, hasFilter }: { lastDay: string; factor: string; scope: Parameters; hasFilter: boolean },
): Promise<void> {
  const run = (sql: string) => duckDb.until((connection) => connection.run(sql));
  const upToLastDay = `day <= DATE ${sqlText(lastDay)}`;
  if (hasFilter) {
    await runStatement(duckDb, `CREATE TEMP TABLE wanted AS ${WANTED}`, scope);
  }
  await run(`
    SET VARIABLE suspect_factor = ${factor}::DECIMAL(15, 6);
    CREATE TEMP TABLE judged AS FROM rare_product
    ${hasFilter ? "UNION SELECT product FROM listing LEFT JOIN wanted USING (listing) GROUP BY product HAVING count(wanted.listing) NOT IN (0, count(*))" : ""};
    CREATE TEMP TABLE unmarked AS
    SELECT * EXCLUDE (series, excluded, next_day) FROM price_row SEMI JOIN judged USING (product) WHERE ${upToLastDay}`);
  await run(SUSPECT_ROWS);
  if (hasFilter) {
    await run("DELETE FROM unmarked WHERE listing NOT IN (SELECT listing FROM wanted)");
  }
  await run(MARK_ROWS);
  // Creates the same views as temporary ones, which DuckDB finds first.
  await run(VIEWS.replaceAll(/^CREATE /gm, "CREATE TEMP "));
  await run(`CREATE OR REPLACE TEMP VIEW price AS
    FROM price_row ANTI JOIN judged USING (product) ${hasFilter ? "SEMI JOIN wanted USING (listing)" : ""} WHERE ${upToLastDay}
    UNION ALL BY NAME FROM marked`);
}
