import { limitNote } from "../../cli/list-limit.ts";
import { numberOf, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import type { ShownAnswer } from "../../cli/question/question.ts";
import { type Screen, style } from "../../cli/terminal/style.ts";
import { percentText, priceCell } from "../../cli/terminal/tables/cell.ts";
import { itemTable, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import { plural } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import type { WhyOptions } from "./options.ts";

/** Characters of a SHA-256 that tell files apart. */
const SHORT_SHA256 = 12;

/** Cells of a `product_id` that is not cut, because people look for it. */
const WHOLE_ID = 32;

/** What is said of the product, then the rows that a figure comes from, or that do not count. */
export function whyText({ rows, days }: ShownAnswer, { list }: WhyOptions, screen: Screen) {
  const [newest = {}] = rows;
  const isTelling = (row: AnswerRow) => row.figures !== "" || row.counted === false;
  const listed = list.sort === undefined ? rows.filter(isTelling) : rows;
  const shown = listed.slice(0, list.limit);
  const table = itemTable(shown, [
    textColumn("day", textOf("crawl_date"), { rigid: true }),
    priceColumnOf("price", "selling_price"),
    textColumn("currency", textOf("currency"), { rigid: true }),
    textColumn("counts", (row) => (row.counted === true ? "yes" : `no: ${textOf("rule")(row)}`), { rigid: true }),
    textColumn("used as", (row) => textOf("figures")(row).replaceAll("_", " ")),
    textColumn("product_id", textOf("product_id"), { minimum: WHOLE_ID }),
    textColumn("sha256", (row) => textOf("sha256")(row).slice(0, SHORT_SHA256)),
  ]);
  const { text: body, hidden } = renderCaptioned(table, ["currency"], screen);
  const name = visible(`${textOf("title")(newest)} · ${textOf("retailer")(newest)} ${textOf("sku")(newest)}`);
  const facts = [style("bold", name, screen.colour), ...factsOf(newest, days.newest)];
  const others = rows.length - listed.length;
  const notes = [
    `each row is in crawl_date=DAY/part-0.parquet; sha256 shows the first ${SHORT_SHA256} characters of that file's SHA-256`,
    ...(shown.length < listed.length ? [limitNote(shown.length, listed.length, list.limit)] : []),
    ...(others > 0 ? [`${plural(others, "further row")} that no figure comes from; -f ndjson has them all`] : []),
  ];
  return { text: `${facts.join("\n")}\n\n${body}`, hidden, notes };
}

function factsOf(row: AnswerRow, newest: string): string[] {
  const price = (name: string, currency = textOf("known_currency")(row)) =>
    priceCell(numberOf(name)(row), currency).text;
  const priced = (name: string, currency = textOf("known_currency")(row)) => `${price(name, currency)} ${currency}`;
  if (row.known_price === null) {
    return [`no price up to ${newest}`];
  }
  const age = `of ${textOf("date")(row)}, ${plural(Number(row.days_old), "day")} old`;
  const isKnown = row.is_known === true;
  const percent = percentText(numberOf("percent")(row));
  const incomparable =
    row.before_currency === row.known_currency
      ? "not compared, the currency changed in between"
      : "in another currency";
  const change =
    row.difference === null
      ? incomparable
      : [signed(price("difference")), ...(percent === undefined ? [] : [`${signed(percent)} %`])].join(", ");
  const days = Number(row.reference_days);
  // A reference price of zero, as with --include-suspect, has no discount.
  const discount = percentText(numberOf("real_discount_pct")(row));
  const realDiscount = discount === undefined ? "" : `, real discount ${discount} %`;
  return [
    isKnown ? `price ${priced("known_price")} ${age}` : `not known: the last price is ${priced("known_price")} ${age}`,
    ...(isKnown ? [] : [`reason ${textOf("reason")(row)}`]),
    ...(row.before_date === null
      ? ["no earlier price known a week before"]
      : [
          `a week before ${priced("before_selling_price", textOf("before_currency")(row))} of ${textOf("before_date")(row)}: ${change}`,
        ]),
    `lowest ${priced("low_selling_price")} of ${textOf("low_date")(row)}`,
    row.reference_price === null
      ? `no reference price: ${days} of the 30 days before ${textOf("present_since")(row)} ${days === 1 ? "has" : "have"} a price, 24 are needed`
      : `reference price ${priced("reference_price")} of ${days} days before ${textOf("present_since")(row)}${realDiscount}`,
  ];
}

function signed(digits: string): string {
  return digits.startsWith("-") || Number(digits) === 0 ? digits : `+${digits}`;
}
