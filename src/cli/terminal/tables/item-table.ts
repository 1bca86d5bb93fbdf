import { type Cell, numberCell, priceCell, textCell } from "./cell.ts";
import type { Column, Table } from "./table.ts";

/** Wide enough that no sku is cut, because people copy skus. Real shops have skus of up to 25 characters. */
export const WHOLE_SKU = 26;

export interface ItemColumn<Item> extends Column {
  cell: (item: Item) => Cell;
  /** The cell of the totals row; absent in all columns of a table without totals. */
  total?: Cell | undefined;
}

export function itemTable<Item>(items: readonly Item[], columns: readonly ItemColumn<Item>[]): Table {
  const totals = columns.flatMap(({ total }) => total ?? []);
  return {
    columns,
    rows: items.map((item) => columns.map(({ cell }) => cell(item))),
    footer: totals.length === 0 ? undefined : totals,
  };
}

export function textColumn<Item>(
  heading: string,
  read: (item: Item) => string,
  { total, ...widths }: Pick<Column, "rigid" | "minimum"> & { total?: string } = {},
): ItemColumn<Item> {
  return {
    heading,
    ...widths,
    cell: (item) => textCell(read(item)),
    total: total === undefined ? total : textCell(total),
  };
}

export function titleColumn<Item>(
  read: (item: Item) => string,
  addressOf: (item: Item) => string | undefined,
): ItemColumn<Item> {
  return { heading: "title", minimum: 20, cell: (item) => ({ ...textCell(read(item)), link: addressOf(item) }) };
}

/** A column of numbers. A total of null is an empty cell. */
export function numberColumn<Item>(
  heading: string,
  read: (item: Item) => number | null | undefined,
  total?: number | null,
): ItemColumn<Item> {
  const cell = (item: Item) => numberCell(read(item));
  return { heading, rigid: true, cell, total: total === undefined ? total : numberCell(total) };
}

/** A column of prices, each with the decimals of its currency. */
export function priceColumn<Item>(
  heading: string,
  read: (item: Item) => number | null | undefined,
  currencyOf: (item: Item) => string,
): ItemColumn<Item> {
  return { heading, rigid: true, cell: (item) => priceCell(read(item), currencyOf(item)) };
}
