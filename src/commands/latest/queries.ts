import { addDays } from "../../contract/values/day-arithmetic.ts";
import { quotient, scaled } from "../../mirror/sql/exact.ts";
import { sqlText } from "../../mirror/sql/session.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import { GROUP_COLUMNS, type LatestOptions } from "./options.ts";

/** The day to which ages count, for each retailer that has days of its own, and for the others. */
interface AgeDays {
  own: readonly (readonly [retailer: string, day: string])[];
  other: string;
}

/** @param today `YYYY-MM-DD` */
export function ageDays({ end_date, own_days = {} }: SetFilters, today: string): AgeDays {
  const own = Object.entries(own_days).map(([retailer, window]) => [retailer, window.end_date ?? today] as const);
  return { own, other: end_date ?? today };
}

/** The first day whose prices are not too old for any retailer; the days before it need not be read. */
export function firstDay({ own, other }: AgeDays, maxAge: number | undefined): string {
  const [earliest = other] = [other, ...own.map(([, day]) => day)].sort();
  return maxAge === undefined ? "" : addDays(earliest, -maxAge);
}

/** The query of the products, or of the groups, in order. */
export function latestQuery(options: Pick<LatestOptions, "groupBy" | "columns" | "list" | "maxAge">, days: AgeDays) {
  const { groupBy, columns, list } = options;
  const known = knownPrices(days, options.maxAge);
  const from = groupBy === undefined ? known : `(SELECT ${groupBy}, ${COUNTS} FROM ${known} GROUP BY ${groupBy})`;
  const order = [
    ...(list.sort === undefined ? [] : [`${list.sort.column} ${list.sort.descending ? "DESC" : "ASC"} NULLS LAST`]),
    ...(groupBy === undefined ? ["retailer", "sku"] : [...(list.sort === undefined ? ["products DESC"] : []), groupBy]),
  ];
  const limit = list.limit === undefined ? "" : ` LIMIT ${list.limit}`;
  return `SELECT ${columns.join(", ")} FROM ${from} ORDER BY ${order.join(", ")}${limit}`;
}

/** The query of one row with the counts of all products. */
export function totalQuery({ maxAge }: Pick<LatestOptions, "maxAge">, days: AgeDays): string {
  return `SELECT ${COUNTS} FROM ${knownPrices(days, maxAge)}`;
}

function knownPrices({ own, other }: AgeDays, maxAge: number | undefined): string {
  const whens = own.map(([retailer, day]) => `WHEN ${sqlText(retailer)} THEN DATE ${sqlText(day)}`);
  const day = whens.length === 0 ? `DATE ${sqlText(other)}` : `CASE retailer ${whens.join(" ")} END`;
  const wanted = maxAge === undefined ? "" : ` WHERE days_old <= ${maxAge}`;
  return `(SELECT *, date_diff('day', crawl_date, ${day}) AS days_old FROM latest${wanted})`;
}

const DISCOUNTED = "count(*) FILTER (discount_pct > 0)";

const COUNTS = `count(*) AS ${GROUP_COLUMNS[0]}, ${DISCOUNTED} AS ${GROUP_COLUMNS[1]},
  ${quotient(`100 * ${DISCOUNTED}`, "count(*)")} AS ${GROUP_COLUMNS[2]},
  ${quotient(`sum(${scaled("discount_pct", 12)}) FILTER (discount_pct > 0)`, `1000000000000 * ${DISCOUNTED}`)} AS ${GROUP_COLUMNS[3]}`;
