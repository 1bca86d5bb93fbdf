import type { Run } from "../../cli/context.ts";
import { numberOf, ownListColumns, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import type { Question, ShownAnswer } from "../../cli/question/declaration.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { isBookmark } from "../../cli/question/since.ts";
import { checkDays, nearestDays } from "../../cli/source/folder-vocabulary.ts";
import type { SyncedFolder } from "../../cli/source/synced-folder.ts";
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
import { EmptyResultError } from "../../contract/errors.ts";
import { firstFew, groupDigits } from "../../contract/values/phrases.ts";
import { type AnswerRow, readRows } from "../../folder/ask/ask.ts";
import DIFF from "../../folder/questions/diff.sql";
import GAPS from "../../folder/questions/diff-gaps.sql";
import { CHANGES, DIFF_COLUMNS, type DiffOptions, resolvePair } from "./options.ts";

/** Differences that a table on a terminal shows; every other output has them all. */
const SHOWN_DIFFERENCES = 40;

const countOf = (column: string, value: string) => `count(*) FILTER (${column} = '${value}')`;
const REASONS = ["gone", "not_crawled", "unknown"] as const;

const SUMMARY = Object.fromEntries([
  ...[...CHANGES, "unchanged"].map((change) => [change, countOf("change", change)]),
  ...REASONS.map((reason) => [reason, countOf("reason", reason)]),
]) as Readonly<Record<string, string>>;

const DIFF_QUESTION: Question<DiffOptions> = {
  sql: DIFF,
  columns: DIFF_COLUMNS,
  bookmarks: "diff",
  days: (options, synced, { newest, now }) => {
    if (options.days === undefined) {
      return undefined;
    }
    const days = resolvePair(options.days, now, newest);
    if (!options.isOfService) {
      checkDays(days, synced);
    }
    tellEmptyDays(days, synced, options);
    return days;
  },
  // A table shows what changed, and the rest as counts, but since a bookmark nothing is left out.
  parameters: ({ strict, only, output, list, since = "" }) => ({
    strict,
    kinds: only ?? (output.format === "table" && !isBookmark(since) ? ["changed"] : CHANGES),
    by_kind: output.format === "table" && list.sort === undefined,
  }),
  totals: SUMMARY,
  totalsParameters: { kinds: null },
  find: async (prices, parameters, _, { reporter }) => {
    for (const [day, isOutage, change, retailers] of await readRows(prices, GAPS, parameters)) {
      const names = firstFew(String(retailers).split(" "), 5, " retailers");
      reporter.warn(
        isOutage
          ? `on ${day} fewer rows than usual were crawled of ${names} (outage)`
          : `no rows on ${day} of ${names}: all their products count as ${change}`,
      );
    }
    return {};
  },
  subject: ["retailer", "sku"],
  noun: "product",
  shownRows: SHOWN_DIFFERENCES,
  view: diffText,
};

/** Of a service, the two days are pulled into a folder, and the same question is asked. */
export const askDiff: Run<DiffOptions> = async (options, context) => {
  if (!options.isOfService || options.days === undefined) {
    await runQuestion(DIFF_QUESTION, options, context);
    return;
  }
  const { pullTwoDays } = await import("./two-days.ts");
  await using pulled = await pullTwoDays({ ...options, days: options.days }, context);
  const { folder, days } = pulled;
  await runQuestion(DIFF_QUESTION, { ...options, demo: false, filters: {}, folder, days }, context);
};

/** Warns if no row matches on a day or, of last known prices, up to it. */
function tellEmptyDays(days: { from: string; to: string }, synced: SyncedFolder, options: DiffOptions): void {
  const [first = ""] = synced.days;
  const isEmpty = (day: string) => (options.strict ? !synced.days.includes(day) : first === "" || day < first);
  const empty = [days.from, days.to].filter(isEmpty);
  if (empty.length === 0) {
    return;
  }
  const around = [...new Set(empty.flatMap((day) => nearestDays(day, synced.days)))].sort();
  const nearest = around.length === 0 ? "" : ` (nearest days with rows: ${around.join(", ")})`;
  const message = `no rows match ${options.strict ? "on" : "up to"} ${empty.join(" and ")}${nearest}`;
  if (options.failOnEmpty) {
    throw new EmptyResultError(message);
  }
  synced.reporter.warn(message);
}

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
function diffText({ rows, days, totals = {} }: ShownAnswer, options: DiffOptions, screen: Screen) {
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
