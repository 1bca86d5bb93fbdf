import type { Run } from "../../cli/context.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import LATEST from "../../folder/questions/latest.sql";
import GONE from "../../folder/questions/latest-gone.sql";
import GROUPS from "../../folder/questions/latest-groups.sql";
import PERIODS from "../../folder/questions/latest-periods.sql";
import { GONE_COLUMNS, groupColumns, LATEST_COLUMNS, type LatestOptions } from "./options.ts";

export const askLatest: Run<LatestOptions> = (options, context) => runQuestion(questionOf(options), options, context);

function questionOf({ gone, groupBy, by }: LatestOptions): Question<LatestOptions> {
  const products = {
    subject: ["retailer", "sku"],
    noun: "product",
    view: async () => (await import("./latest-tables.ts")).latestText,
  };
  if (groupBy === undefined && by === undefined) {
    return gone
      ? { ...products, sql: GONE, columns: GONE_COLUMNS }
      : { ...products, sql: LATEST, columns: LATEST_COLUMNS };
  }
  const named = groupBy === undefined ? [] : [groupBy];
  const groups = {
    ...products,
    columns: groupColumns(groupBy, by),
    subject: by === undefined ? named : [...named, "currency", "period"],
    noun: "group",
    view: async () => (await import("./latest-tables.ts")).groupsText,
  };
  // The column is named after what it groups by.
  const columns = groupBy === undefined ? "* EXCLUDE (group_name)" : `* RENAME (group_name AS ${groupBy})`;
  const of = (sql: string) => `SELECT ${columns} FROM (\n${sql.trim()}\n)`;
  return by === undefined
    ? { ...groups, sql: of(GROUPS), totals: DISCOUNT_TOTALS, parameters: () => ({ group_by: groupBy ?? null }) }
    : { ...groups, sql: of(PERIODS), parameters: () => ({ group_by: groupBy ?? null, period: by }) };
}

export const DISCOUNT_TOTALS = {
  products: "sum(products)::BIGINT",
  discounted_products: "sum(discounted_products)::BIGINT",
  discounted_percent: "percent_of(sum(discounted_products), sum(products))",
  mean_discount_pct: "mean(sum(sum_of_discounts), sum(discounted_products))",
};
