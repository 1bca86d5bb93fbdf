import { hasRowFormat } from "../../cli/flags/output.ts";
import { quoted } from "../../cli/flags/values.ts";
import { showTable } from "../../cli/pager.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { readFileText } from "../../cli/stdin.ts";
import { screenOf } from "../../cli/terminal.ts";
import { queryRecords, SHOWN_ROWS, writeQuery } from "../../cli/write-query.ts";
import type { Context } from "../../context.ts";
import { splitRcd } from "../../contract/filters.ts";
import { closest } from "../../contract/values/closest.ts";
import { type DateExpression, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { counted, groupDigits } from "../../contract/values/decimal.ts";
import { UsageError } from "../../errors.ts";
import { withFolderSql } from "../../mirror/sql/folder-session.ts";
import type { SqlSession } from "../../mirror/sql/session.ts";
import { renderCaptioned } from "../../output/terminal/tables/table.ts";
import { type BasketLine, parseBasket } from "./basket.ts";
import { type IndexRow, indexTable } from "./index-table.ts";
import { INDEX_COLUMNS, type IndexOptions } from "./options.ts";
import { basketTables, firstDayQuery, gapsQuery, type IndexDays, indexQuery, MISSING_QUERY } from "./queries.ts";

/** Most bytes of a basket. */
const LARGEST_BASKET = 16 * 1024 * 1024;

/** Most names in a message. */
const NAMED = 5;

export async function runIndex(options: IndexOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const name = options.basket === "-" ? "the basket on stdin" : options.basket;
    const tooLong = () => new UsageError(`${name} is larger than 16 MiB; write a smaller basket.`);
    const basket = parseBasket(
      await readFileText(options.basket, context, synced.signal, LARGEST_BASKET, tooLong),
      name,
    );
    checkRetailers(basket, name, synced);
    const { base, ...days } = indexDays(options, synced, context.now());
    const last = base !== undefined && base > days.end ? base : days.end;
    const read = synced.days.filter((day) => day <= last);
    await withFolderSql({ ...synced, days: read, ownTables: basketTables(basket) }, async (session) => {
      const [found] = base === undefined ? await queryRecords(session, { sql: firstDayQuery(days) }) : [];
      const baseDay = base ?? String(found?.day ?? days.start);
      await writeIndex(session, indexQuery(baseDay, days), synced, options, context);
      await reportGaps(session, baseDay, days, synced);
    });
  });
}

/** @throws UsageError if the folder has no row on the days, or does not know the base day */
function indexDays(
  { base, startDate, endDate, maxAge }: IndexOptions,
  { name, days }: SyncedFolder,
  now: number,
): IndexDays & { base: string | undefined } {
  const [first, latest = ""] = [days[0], days.at(-1)];
  if (first === undefined) {
    throw new UsageError(`${name} holds no rows that the filters match.`);
  }
  const dayFor = (expression: DateExpression) => resolveDay(expression, { today: dayOf(now), latest }) ?? "";
  const [start, end] = [dayFor(startDate ?? first), dayFor(endDate ?? latest)];
  const held = `${name} has ${first} to ${latest}`;
  const firstInRange = days.find((day) => day >= start && day <= end);
  if (firstInRange === undefined) {
    const flag = startDate === undefined ? "--end-date" : "--start-date";
    throw new UsageError(`${flag}: there are no rows from ${start} to ${end}; ${held}.`, { flag });
  }
  const day = base === undefined ? undefined : dayFor(base);
  if (day !== undefined && (day < first || day > latest)) {
    throw new UsageError(`--base ${base}: ${held}. Name one of these days.`, { flag: "--base", suggestions: [first] });
  }
  return { base: day, start: firstInRange, end, maxAge };
}

/** @throws UsageError if the folder has no such retailer */
function checkRetailers(basket: readonly BasketLine[], file: string, { name, state }: SyncedFolder): void {
  const rcds = Object.values(state.days).flatMap(({ counts }) => Object.keys(counts));
  const known = new Set([...new Set(rcds)].map((rcd) => splitRcd(rcd).retailer));
  const wrong = basket.find(({ retailer }) => retailer !== undefined && !known.has(retailer));
  if (wrong?.retailer !== undefined) {
    throw new UsageError(`${file} line ${wrong.line}: there is no retailer ${quoted(wrong.retailer)} in ${name}.`, {
      suggestions: closest(wrong.retailer, [...known]),
    });
  }
}

async function writeIndex(
  session: SqlSession,
  query: string,
  { reporter }: SyncedFolder,
  options: IndexOptions,
  context: Context,
): Promise<void> {
  const { output, list, columns } = options;
  const sqlOf = (chosen: readonly string[], limit: number | undefined) => {
    const sort = list.sort && `"${list.sort.column}" ${list.sort.descending ? "DESC" : "ASC"} NULLS LAST, `;
    const ending = limit === undefined ? "" : ` LIMIT ${limit}`;
    const names = chosen.map((column) => `"${column}"`).join(", ");
    return `SELECT ${names} FROM (${query}) ORDER BY ${sort ?? ""}retailer, currency, crawl_date${ending}`;
  };
  if (hasRowFormat(output)) {
    await writeQuery(session, { sql: sqlOf(columns ?? INDEX_COLUMNS, list.limit) }, output, reporter, context);
    return;
  }
  const limit = list.limit ?? SHOWN_ROWS;
  const found = await queryRecords(session, { sql: sqlOf(INDEX_COLUMNS, limit + 1) });
  const table = indexTable(found.slice(0, limit) as unknown as IndexRow[], columns);
  const shown = renderCaptioned(table, ["retailer", "currency", "products"], screenOf(context, options));
  await showTable(shown, output, list, reporter, context);
  if (found.length > limit) {
    reporter.note(`the first ${groupDigits(limit)}; -f ndjson or -o FILE has them all`);
  }
}

/** Says what the index is about, and what of the basket is not in it. */
async function reportGaps(
  session: SqlSession,
  base: string,
  days: IndexDays,
  { reporter, name }: SyncedFolder,
): Promise<void> {
  const missing = await queryRecords(session, { sql: MISSING_QUERY });
  if (missing.length > 0) {
    const named = missing.slice(0, NAMED).map(({ sku }) => quoted(String(sku)));
    const more = missing.length > NAMED ? ` and ${groupDigits(missing.length - NAMED)} more` : "";
    reporter.warn(`${name} has no price of ${named.join(", ")}${more}, so the index leaves them out`);
  }
  reporter.note(`index 100 on ${base}`);
  for (const { retailer, products, at_base, complete } of await queryRecords(session, { sql: gapsQuery(base, days) })) {
    const lacking = Number(products) - Number(at_base);
    if (lacking > 0) {
      const age = days.maxAge === undefined ? "" : ` of at most ${counted(days.maxAge, "day")}`;
      const hint =
        complete !== null && String(complete) > base ? `; all that have one have it from ${complete} on (--base)` : "";
      reporter.note(
        `${retailer}: ${groupDigits(lacking)} of ${counted(Number(products), "product")} left out, without a price${age} on ${base}${hint}`,
      );
    }
  }
}
