import type { AnswerRow } from "../../folder/ask/ask.ts";
import { numberCell, percentText } from "../terminal/tables/cell.ts";
import { type ItemColumn, priceColumn, textColumn } from "../terminal/tables/item-table.ts";

/** Returns a function that reads a text of a row; empty for null. */
export function textOf(name: string): (row: AnswerRow) => string {
  return (row) => String(row[name] ?? "");
}

/** Returns a function that reads a number of a row; undefined for null. */
export function numberOf(name: string): (row: AnswerRow) => number | undefined {
  return (row) => (typeof row[name] === "number" ? row[name] : undefined);
}

export function priceColumnOf(heading: string, name: string, currency = "currency"): ItemColumn<AnswerRow> {
  return priceColumn(heading, numberOf(name), textOf(currency));
}

export function percentColumnOf(heading: string, name: string): ItemColumn<AnswerRow> {
  return { heading, rigid: true, cell: (row) => numberCell(percentText(numberOf(name)(row))) };
}

/** The columns of an own list that a table shows: those with a value in some row; none without a list. */
export function ownListColumns(rows: readonly AnswerRow[]): ItemColumn<AnswerRow>[] {
  const currencyOf = ({ currency, to_currency, from_currency }: AnswerRow) =>
    String(currency ?? to_currency ?? from_currency);
  const columns: Record<string, ItemColumn<AnswerRow>> = {
    target_price: priceColumn("target", numberOf("target_price"), currencyOf),
    target_met: textColumn("met", ({ target_met }) => (target_met === true ? "yes" : ""), { rigid: true }),
    note: textColumn("note", textOf("note")),
  };
  return Object.entries(columns).flatMap(([name, column]) =>
    rows.some((row) => (row[name] ?? false) !== false) ? [column] : [],
  );
}
