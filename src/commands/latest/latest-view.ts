import type { ShownAnswer } from "../../cli/question/declaration.ts";
import { ownListColumns } from "../../cli/question/own-list-columns.ts";
import type { Screen } from "../../cli/terminal/style.ts";
import { numberCell, percentText } from "../../cli/terminal/tables/cell.ts";
import {
  type ItemColumn,
  itemTable,
  numberColumn,
  priceColumn,
  TITLE_WIDTH,
  textColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import type { LatestOptions } from "./options.ts";

const number = (name: string) => (row: AnswerRow) => (typeof row[name] === "number" ? row[name] : undefined);
const text = (name: string) => (row: AnswerRow) => String(row[name] ?? "");
const price = (heading: string, name: string) => priceColumn(heading, number(name), text("currency"));

export function latestText({ rows }: ShownAnswer, { gone }: LatestOptions, screen: Screen) {
  const discount = (row: AnswerRow) => (Number(row.discount_pct) > 0 ? Number(row.discount_pct) : undefined);
  const table = itemTable(rows, [
    textColumn("title", text("title"), TITLE_WIDTH),
    textColumn("retailer", text("retailer")),
    textColumn("sku", text("sku"), { minimum: WHOLE_SKU }),
    price("price", "selling_price"),
    textColumn("currency", text("currency"), { rigid: true }),
    ...ownListColumns(rows),
    textColumn("seen", text("crawl_date"), { rigid: true }),
    numberColumn("days old", number("days_old")),
    ...(gone ? [textColumn("reason", text("reason"), { rigid: true })] : []),
    numberColumn("discount %", discount),
    price("mrp", "mrp"),
  ]);
  return renderCaptioned(table, ["retailer", "currency"], screen);
}

export function groupsText({ rows, totals }: ShownAnswer, { groupBy, by }: LatestOptions, screen: Screen) {
  const percent = (heading: string, name: string): ItemColumn<AnswerRow> => ({
    heading,
    rigid: true,
    cell: (row) => numberCell(percentText(number(name)(row))),
  });
  const group =
    groupBy === undefined ? [] : [textColumn<AnswerRow>(groupBy, (row) => text(groupBy)(row) || `no ${groupBy}`)];
  const counts = [
    numberColumn("products", number("products")),
    numberColumn("discounted", number("discounted_products")),
    percent("discounted %", "discounted_percent"),
    percent("mean discount %", "mean_discount_pct"),
  ];
  const periods = [
    textColumn("currency", text("currency"), { rigid: true }),
    textColumn<AnswerRow>(by ?? "", text("period"), { rigid: true }),
    ...counts,
    price("lowest", "price_min"),
    price("25 %", "price_p25"),
    price("median", "price_median"),
    price("75 %", "price_p75"),
    price("highest", "price_max"),
  ];
  if (by !== undefined) {
    return renderCaptioned(itemTable(rows, [...group, ...periods]), ["currency"], screen);
  }
  const columns = [...group, ...counts];
  const footer = (column: ItemColumn<AnswerRow>, index: number) =>
    index === 0 ? { text: "total", numeric: false } : column.cell(totals ?? {});
  const withTotals = columns.map((column, index) => ({ ...column, total: footer(column, index) }));
  return renderCaptioned(itemTable(rows, totals === undefined ? columns : withTotals), [], screen);
}
