import { sqlText } from "../../files/duckdb.ts";
import MARK_ROWS from "../index/mark-rows.sql";
import { SUSPECT_FACTOR } from "../index/suspect-factor.ts";
import SUSPECT_ROWS from "../index/suspect-rows.sql";
import { type OpenPriceIndex, openPriceIndex, type PriceIndexRequest } from "../index/update-index.ts";
import { filledIn, type Parameters } from "./ask.ts";

interface JudgedPricesRequest extends PriceIndexRequest {
  /** The newest day that counts. */
  lastDay: string;
  /** The retailers whose newest day is an earlier one. */
  earlierDays?: readonly { retailer: string; lastDay: string }[];
  /** How far a price must be from the usual one to be suspect, in digits; undefined if no row is to be suspect. */
  suspectFactor: string | undefined;
  /** What the filters match: the parameters of the macro `scope`. */
  scope: Parameters;
}

/** The filters that can match some rows of a product and not others. */
const ROW_FILTERS = ["departments", "categories", "combinations", "brands"] as const;

interface JudgedPrices extends OpenPriceIndex {
  /** The statements to run in the index before the question, so that it has the same answer there; may be empty. */
  preamble: string;
}

/**
 * Opens the prices of a synced folder up to a day. The index marks which rows count, judged by all of its days and rows and by
 * the default factor. If a question has an earlier day, another factor or filters, the few products for which that makes a
 * difference are judged again here.
 */
export async function openJudgedPrices(request: JudgedPricesRequest): Promise<JudgedPrices> {
  const index = await openPriceIndex(request);
  const statements = isJudgedAgain(request, index) ? judgeAgain(request) : [];
  try {
    for (const sql of statements) {
      await index.until((connection) => connection.run(sql));
    }
  } catch (error) {
    await index[Symbol.asyncDispose]();
    throw error;
  }
  const preamble = statements.map((sql) => `${sql.trim().replace(/;$/, "")};\n`).join("\n");
  return { ...index, preamble };
}

function isJudgedAgain(
  { lastDay, earlierDays = [], suspectFactor, scope }: JudgedPricesRequest,
  { state }: OpenPriceIndex,
): boolean {
  const hasLaterRows = earlierDays.length > 0 || Object.keys(state.days).some((day) => day > lastDay);
  return hasLaterRows || suspectFactor !== SUSPECT_FACTOR || hasRowFilter(scope);
}

function hasRowFilter(scope: Parameters): boolean {
  return ROW_FILTERS.some((name) => scope[name] !== null);
}

/**
 * The statements that decide again which rows of the affected products count, and replace the view `price` of the index. Suspect
 * rows are found among all rows; of the others, only those that the filters match count.
 */
function judgeAgain({ lastDay, earlierDays = [], suspectFactor = "NULL", scope }: JudgedPricesRequest): string[] {
  const hasFilter = hasRowFilter(scope);
  const upToLastDay = `day <= DATE ${sqlText(lastDay)}`;
  return [
    `SET VARIABLE suspect_factor = ${suspectFactor}::DECIMAL(15, 6)`,
    `SET VARIABLE last_day = DATE ${sqlText(lastDay)}`,
    ...(hasFilter ? [filledIn(MATCHED_LISTINGS, scope)] : []),
    `CREATE TEMP TABLE judged AS FROM rare_product${hasFilter ? ` UNION ${PARTLY_MATCHED}` : ""}`,
    `CREATE TEMP TABLE unmarked AS
SELECT * EXCLUDE (series, excluded, next_day, is_new_price) FROM price_row SEMI JOIN judged USING (product) WHERE ${upToLastDay}`,
    ...earlierDays.map(
      (own) => `DELETE FROM unmarked WHERE day > DATE ${sqlText(own.lastDay)}
  AND product IN (SELECT product FROM product WHERE retailer = ${sqlText(own.retailer)})`,
    ),
    SUSPECT_ROWS,
    ...(hasFilter ? ["DELETE FROM unmarked WHERE listing NOT IN (SELECT listing FROM wanted)"] : []),
    MARK_ROWS,
    // DuckDB finds it first, also for the views of the index that are made of it.
    `CREATE TEMP VIEW price AS
FROM price_row ANTI JOIN judged USING (product) ${hasFilter ? "SEMI JOIN wanted USING (listing)" : ""} WHERE ${upToLastDay}
UNION ALL BY NAME FROM marked`,
  ];
}

const MATCHED_LISTINGS = `CREATE TEMP TABLE wanted AS
SELECT listing FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)`;

/** Products of which the filters match some wordings and not others. */
const PARTLY_MATCHED = `SELECT product FROM listing LEFT JOIN wanted USING (listing)
GROUP BY product HAVING count(wanted.listing) NOT IN (0, count(*))`;
