import { numberOf, percentColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import { namesOf, type ShownAnswer } from "../../cli/question/question.ts";
import type { Screen } from "../../cli/terminal/style.ts";
import { decimalsOf, roundedText } from "../../cli/terminal/tables/cell.ts";
import { itemTable, numberColumn, priceColumn, textColumn, titleColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import { type CompareOptions, compareColumns } from "./options.ts";

/** A column for each retailer that has a price in the shown rows. */
export function compareText({ rows }: ShownAnswer, { by, conversion }: CompareOptions, screen: Screen) {
  const others = namesOf(compareColumns(by));
  const ofRetailers = Object.keys(rows[0] ?? {}).filter((name) => !others.includes(name));
  const shown = ofRetailers.filter((name) => rows.some((row) => row[name] !== null));
  // Six decimals of a converted price say nothing to people.
  const decimals = conversion === undefined ? undefined : decimalsOf(conversion.currency);
  const price = (heading: string, name: string) =>
    priceColumn<AnswerRow>(
      heading,
      (row) => {
        const value = numberOf(name)(row);
        return value === undefined || decimals === undefined ? value : Number(roundedText(value, decimals));
      },
      textOf("currency"),
    );
  const table = itemTable(rows, [
    ...by.map((name) =>
      name === "title" ? titleColumn(textOf(name), () => undefined) : textColumn(name.replace("_", " "), textOf(name)),
    ),
    textColumn("currency", textOf("currency"), { rigid: true }),
    textColumn("cheapest", textOf("cheapest_retailer"), { rigid: true }),
    price("price", "cheapest_price"),
    price("dearest", "dearest_price"),
    percentColumnOf("spread %", "spread_percent"),
    numberColumn("retailers", numberOf("retailers")),
    ...shown.map((name) => price(name.slice("price_".length), name)),
  ]);
  const other = conversion === undefined ? " in one currency; --rates FILE with --currency converts prices" : "";
  const notes = rows.length === 0 ? [`no product is known at two retailers${other}`] : [];
  return { ...renderCaptioned(table, ["currency", "retailers"], screen), notes };
}
