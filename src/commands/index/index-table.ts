import { numberCell } from "../../output/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn } from "../../output/terminal/tables/item-table.ts";
import { recordTable } from "../../output/terminal/tables/row-table.ts";
import type { Table } from "../../output/terminal/tables/table.ts";
import { INDEX_COLUMNS } from "./options.ts";

/** A row of `indexQuery`. */
export interface IndexRow {
  retailer: string;
  crawl_date: string;
  currency: string;
  /** Null if no product of the basket has a price on that day. */
  index: number | null;
  basket_value: number | null;
  products_priced: number;
  products: number;
}

export function indexTable(rows: readonly IndexRow[], chosen: readonly string[] | undefined): Table {
  if (chosen !== undefined) {
    return recordTable(rows, INDEX_COLUMNS, chosen);
  }
  return itemTable(rows, [
    textColumn("retailer", ({ retailer }) => retailer),
    textColumn("day", ({ crawl_date }) => crawl_date, { rigid: true }),
    { heading: "index", rigid: true, cell: ({ index }) => numberCell(index?.toFixed(2)) },
    numberColumn("basket", ({ basket_value }) => basket_value),
    textColumn("currency", ({ currency }) => currency, { rigid: true }),
    numberColumn("priced", ({ products_priced }) => products_priced),
    numberColumn("products", ({ products }) => products),
  ]);
}
