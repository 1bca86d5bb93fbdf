import { numberOf, ownListColumns, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import type { ShownAnswer } from "../../cli/question/question.ts";
import { isBookmark } from "../../cli/question/since.ts";
import { type Screen, style } from "../../cli/terminal/style.ts";
import { percentCell } from "../../cli/terminal/tables/cell.ts";
import {
  type ItemColumn,
  itemTable,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import { CHANGES, type DiffOptions, REASONS } from "./options.ts";

type Side = "from" | "to";

function price(heading: string, side: Side, name: string) {
  return { ...priceColumnOf(heading, `${side}_${name}`, `${side}_currency`), sides: [side] };
}

/** The most important first, because a narrow terminal leaves out the last; `sides` names the days without which a column is empty. */
const COLUMNS: readonly (ItemColumn<AnswerRow> & { sides?: readonly Side[] })[] = [
  textColumn("change", textOf("change"), { rigid: true }),
  textColumn("retailer", textOf("retailer")),
  titleColumn(textOf("title"), () => undefined),
  textColumn("sku", textOf("sku"), { minimum: WHOLE_SKU }),
  price("price after", "to", "selling_price"),
  { heading: "%", rigid: true, cell: (row) => percentCell(numberOf("percent")(row)), sides: ["from", "to"] },
  price("price before", "from", "selling_price"),
  textColumn("currency", currencies, { rigid: true }),
  textColumn("reason", textOf("reason"), { rigid: true }),
  price("mrp before", "from", "mrp"),
  price("mrp after", "to", "mrp"),
];

function currencies({ from_currency, to_currency }: AnswerRow): string {
  const codes = [from_currency, to_currency].filter((code) => typeof code === "string");
  return [...new Set(codes)].join(" → ");
}

/** The table below its heading, and the number of products of each kind. Columns that are empty in all rows are left out. */
export function diffText({ rows, days, totals = {} }: ShownAnswer, options: DiffOptions, screen: Screen) {
  const isAbsent = (side: Side) => rows.every((row) => row[`${side}_seen`] === null);
  const shown = COLUMNS.filter(
    ({ heading, sides = [] }) =>
      !sides.some(isAbsent) && (heading !== "reason" || rows.some(({ reason }) => reason !== null)),
  );
  const { text, hidden } = renderCaptioned(
    itemTable(rows, [...shown, ...ownListColumns(rows)]),
    ["change", "retailer", "currency"],
    screen,
  );
  const heading = `Changes from ${days.since} to ${days.newest}${options.strict ? "" : ", by last known prices"}`;
  const table = rows.length === 0 ? "" : `${text}\n`;
  const others = CHANGES.filter((change) => change !== "changed" && Number(totals[change]) > 0);
  const isPart = options.only === undefined && !isBookmark(options.since ?? "") && others.length > 0;
  return {
    notes: isPart ? [`--only ${others.join(",")} lists the others`] : [],
    text: `${style("bold", heading, screen.colour)}\n${table}${wrap(summaryLine(totals, options), screen.width)}\n`,
    hidden: rows.length === 0 ? [] : hidden,
  };
}

/** Such as `12 changed, 3 appeared, 1 returned, 4 vanished (3 gone, 1 not crawled), 985 unchanged`. */
function summaryLine(totals: AnswerRow, { strict }: DiffOptions): string {
  const count = (name: string) => `${groupDigits(Number(totals[name]))} ${name.replace("_", " ")}`;
  const reasons = REASONS.filter((reason) => Number(totals[reason]) > 0).map(count);
  const counts = [...CHANGES, "unchanged"]
    .filter((change) => change !== "returned" || !strict)
    .map((change) => count(change) + (change === "vanished" && reasons.length > 0 ? ` (${reasons.join(", ")})` : ""));
  return counts.join(", ");
}
