import type { AnswerRow } from "../../folder/ask/ask.ts";
import { type ItemColumn, priceColumn, textColumn } from "../terminal/tables/item-table.ts";

/** What a table shows of an own list: the columns in which a row has something; none without a list. */
export function ownListColumns(rows: readonly AnswerRow[]): ItemColumn<AnswerRow>[] {
  const currencyOf = ({ currency, to_currency, from_currency }: AnswerRow) =>
    String(currency ?? to_currency ?? from_currency);
  const targetOf = ({ target_price }: AnswerRow) => (typeof target_price === "number" ? target_price : undefined);
  const columns: Record<string, ItemColumn<AnswerRow>> = {
    target_price: priceColumn("target", targetOf, currencyOf),
    target_met: textColumn("met", ({ target_met }) => (target_met === true ? "yes" : ""), { rigid: true }),
    note: textColumn("note", ({ note }) => String(note ?? "")),
  };
  return Object.entries(columns).flatMap(([name, column]) =>
    rows.some((row) => (row[name] ?? false) !== false) ? [column] : [],
  );
}
