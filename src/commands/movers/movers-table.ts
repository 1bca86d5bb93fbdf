import { numberOf, ownListColumns, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import { answerColumns, namesOf, type ShownAnswer } from "../../cli/question/question.ts";
import { type Screen, style } from "../../cli/terminal/style.ts";
import { percentCell } from "../../cli/terminal/tables/cell.ts";
import {
  type ItemColumn,
  itemTable,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { recordTable } from "../../cli/terminal/tables/row-table.ts";
import { renderTable, type Table, withoutConstants } from "../../cli/terminal/tables/table.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import { MOVER_COLUMNS, type MoverKind, type MoversOptions } from "./options.ts";

const HEADINGS = {
  drop: "Biggest drops",
  rise: "Biggest rises",
  new_low: "New lows",
  discount: "Highest discounts",
} as const satisfies Record<MoverKind, string>;

/** One table for each kind, with a heading above it and a line above each group. */
export function moversText(
  { rows, groups, days }: ShownAnswer,
  options: MoversOptions,
  screen: Screen,
): { text: string; hidden: string[]; notes: string[] } {
  const { kinds, columns } = options;
  const hidden = new Set<string>();
  const parts = kinds.map((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    const { table: varying, caption } =
      columns === undefined
        ? withoutConstants(moversTable(kind, own), ["retailer", "currency"])
        : {
            table: recordTable(own, namesOf(answerColumns(MOVER_COLUMNS, options)), columns),
            caption: "",
          };
    const { headings, more } = groupHeadings(kind, own, groups);
    const table = renderTable({ ...varying, groups: headings }, screen);
    for (const column of table.hidden) {
      hidden.add(column);
    }
    const heading = `${HEADINGS[kind]} from ${days.since} to ${days.newest}${more}`;
    const shared = caption === "" ? "" : `${style("dim", caption, screen.colour)}\n`;
    return `${style("bold", heading, screen.colour)}\n${own.length === 0 ? "none\n" : `${shared}${table.text}`}`;
  });
  // Each kind without a row says so itself.
  return { text: parts.join("\n"), hidden: [...hidden], notes: [] };
}

/** The headings of the groups, by the index of their first row. Without groups, `more` says how many rows there are. */
function groupHeadings(kind: MoverKind, own: readonly AnswerRow[], groups: ShownAnswer["groups"]) {
  const headings = new Map<number, string>();
  let more = "";
  for (const { names, count } of groups.filter(({ names }) => names[0] === kind)) {
    const [, name] = names;
    const isOfGroup = (row: AnswerRow) => name === undefined || row.group_name === name;
    const shown = own.filter(isOfGroup).length;
    const text = count > shown ? `, ${shown} of ${groupDigits(count)}` : "";
    if (name === undefined) {
      more = text;
    } else {
      headings.set(own.findIndex(isOfGroup), `${visible(String(name))}${text}`);
    }
  }
  return { headings, more };
}

const MIDDLE: Record<MoverKind, readonly ItemColumn<AnswerRow>[]> = {
  drop: [priceColumnOf("price before", "before_selling_price")],
  rise: [priceColumnOf("price before", "before_selling_price")],
  new_low: [priceColumnOf("low before", "low_selling_price"), textColumn("on", textOf("low_date"), { rigid: true })],
  discount: [priceColumnOf("mrp", "mrp")],
};

function moversTable(kind: MoverKind, rows: readonly AnswerRow[]): Table {
  const percentOf = (row: AnswerRow) => {
    if (kind === "new_low") {
      return numberOf("below_low_percent")(row);
    }
    return kind === "discount" ? -Number(row.discount_pct) : numberOf("percent")(row);
  };
  return itemTable(rows, [
    titleColumn(textOf("title"), (row) => (row.url === null ? undefined : textOf("url")(row))),
    textColumn("retailer", textOf("retailer")),
    textColumn("sku", textOf("sku"), { minimum: WHOLE_SKU }),
    priceColumnOf("price", kind === "new_low" ? "new_low_price" : "selling_price"),
    { heading: "%", rigid: true, cell: (row) => percentCell(percentOf(row)) },
    ...MIDDLE[kind],
    textColumn("currency", textOf("currency"), { rigid: true }),
    ...ownListColumns(rows),
    textColumn("seen", textOf(kind === "new_low" ? "reached_date" : "date"), { rigid: true }),
  ]);
}
