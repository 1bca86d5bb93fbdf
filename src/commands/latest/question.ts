import type { Run } from "../../cli/context.ts";
import { numberOf, ownListColumns, percentColumnOf, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import type { Question, ShownAnswer } from "../../cli/question/declaration.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import type { Screen } from "../../cli/terminal/style.ts";
import {
  type ItemColumn,
  itemTable,
  numberColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
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
    view: latestText,
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
    view: groupsText,
  };
  // A group has the name of what it is of.
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

function latestText({ rows }: ShownAnswer, { gone }: LatestOptions, screen: Screen) {
  const discount = (row: AnswerRow) => (Number(row.discount_pct) > 0 ? Number(row.discount_pct) : undefined);
  const table = itemTable(rows, [
    titleColumn(textOf("title"), (row) => (row.url === null ? undefined : textOf("url")(row))),
    textColumn("retailer", textOf("retailer")),
    textColumn("sku", textOf("sku"), { minimum: WHOLE_SKU }),
    priceColumnOf("price", "selling_price"),
    textColumn("currency", textOf("currency"), { rigid: true }),
    ...ownListColumns(rows),
    textColumn("seen", textOf("crawl_date"), { rigid: true }),
    numberColumn("days old", numberOf("days_old")),
    ...(gone ? [textColumn("reason", textOf("reason"), { rigid: true })] : []),
    numberColumn("discount %", discount),
    priceColumnOf("mrp", "mrp"),
  ]);
  return renderCaptioned(table, ["retailer", "currency"], screen);
}

function groupsText({ rows, totals }: ShownAnswer, { groupBy, by }: LatestOptions, screen: Screen) {
  const group =
    groupBy === undefined ? [] : [textColumn<AnswerRow>(groupBy, (row) => textOf(groupBy)(row) || `no ${groupBy}`)];
  const counts = [
    numberColumn("products", numberOf("products")),
    numberColumn("discounted", numberOf("discounted_products")),
    percentColumnOf("discounted %", "discounted_percent"),
    percentColumnOf("mean discount %", "mean_discount_pct"),
  ];
  if (by !== undefined) {
    const periods = [
      textColumn<AnswerRow>("currency", textOf("currency"), { rigid: true }),
      textColumn<AnswerRow>(by, textOf("period"), { rigid: true }),
      ...counts,
      priceColumnOf("lowest", "price_min"),
      priceColumnOf("25 %", "price_p25"),
      priceColumnOf("median", "price_median"),
      priceColumnOf("75 %", "price_p75"),
      priceColumnOf("highest", "price_max"),
    ];
    return renderCaptioned(itemTable(rows, [...group, ...periods]), ["currency"], screen);
  }
  const columns = [...group, ...counts];
  const footer = (column: ItemColumn<AnswerRow>, index: number) =>
    index === 0 ? { text: "total", numeric: false } : column.cell(totals ?? {});
  const withTotals = columns.map((column, index) => ({ ...column, total: footer(column, index) }));
  return renderCaptioned(itemTable(rows, totals === undefined ? columns : withTotals), [], screen);
}
