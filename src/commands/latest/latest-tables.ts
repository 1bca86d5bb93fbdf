import { numberOf, ownListColumns, percentColumnOf, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import type { ShownAnswer } from "../../cli/question/question.ts";
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
import type { LatestOptions } from "./options.ts";

export function latestText({ rows }: ShownAnswer, { gone }: LatestOptions, screen: Screen) {
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

export function groupsText({ rows, totals }: ShownAnswer, { groupBy, by }: LatestOptions, screen: Screen) {
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
  const hasTotals = totals !== undefined && rows.length > 0;
  return renderCaptioned(itemTable(rows, hasTotals ? withTotals : columns), [], screen);
}
