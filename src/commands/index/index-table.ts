import type { ColumnType } from "../../output/formats/encoder.ts";
import { numberCell } from "../../output/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn } from "../../output/terminal/tables/item-table.ts";
import type { Table } from "../../output/terminal/tables/table.ts";
import type { IndexRow } from "../../prices/basket-index.ts";
import { withDecimals } from "../../prices/exact.ts";

/** The types of the columns in Parquet that are not those of a product row. */
export const TYPES: Readonly<Record<string, ColumnType>> = {
  index: { kind: "number", nullable: true },
  basket_value: { kind: "number", nullable: true },
  base_value: { kind: "number", nullable: true },
  products_priced: { kind: "integer", nullable: false },
  products: { kind: "integer", nullable: false },
  base_date: { kind: "date", nullable: false },
};

export function indexTable(rows: readonly IndexRow[]): Table {
  return itemTable(rows, [
    textColumn("retailer", ({ retailer }) => retailer),
    textColumn("day", ({ crawl_date }) => crawl_date, { rigid: true }),
    {
      heading: "index",
      rigid: true,
      cell: ({ index }) => numberCell(index === null ? undefined : withDecimals(index, 2)),
    },
    numberColumn("basket", ({ basket_value }) => basket_value),
    textColumn("currency", ({ currency }) => currency, { rigid: true }),
    numberColumn("priced", ({ products_priced }) => products_priced),
    numberColumn("products", ({ products }) => products),
  ]);
}
