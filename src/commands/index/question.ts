import type { Run } from "../../cli/context.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { noMatchingRows, refuseFolderFirst, type SyncedFolder } from "../../cli/source/synced-folder.ts";
import { UsageError } from "../../contract/errors.ts";
import { type DateExpression, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { readRows } from "../../folder/ask/ask.ts";
import GAPS from "../../folder/questions/basket-gaps.sql";
import INDEX from "../../folder/questions/basket-index.sql";
import { INDEX_COLUMNS, type IndexOptions } from "./options.ts";

export const askIndex: Run<IndexOptions> = async (options, context) => {
  await refuseFolderFirst(options, [options.ownList], "catalog index basket.csv");
  await runQuestion(questionOf(), options, context);
};

function questionOf(): Question<IndexOptions> {
  let asked: ReturnType<typeof daysOf> | undefined;
  return {
    sql: INDEX,
    columns: INDEX_COLUMNS,
    days: (options, synced, today) => {
      asked = daysOf(options, synced, today);
      const { start, end, base = end } = asked;
      return { from: start, to: base > end ? base : end, isNewest: options.endDate !== undefined };
    },
    parameters: () => ({ base: asked?.base ?? null, end: asked?.end ?? "" }),
    find: async (prices, parameters, { maxAge }, { reporter }) => {
      const gaps = await readRows(prices, GAPS, parameters);
      const base = String(gaps[0]?.[0] ?? asked?.start);
      reporter.note(`index 100 on ${base}`);
      const age = maxAge === undefined ? "" : ` of at most ${plural(maxAge, "day")}`;
      for (const [, retailer, products, lacking, complete] of gaps.filter(([, , , lacking]) => Number(lacking) > 0)) {
        const isLater = complete !== null && String(complete) > base;
        const hint = isLater ? `; every product that has prices has one on ${String(complete)} (--base)` : "";
        const leftOut = `${groupDigits(Number(lacking))} of ${plural(Number(products), "product")} left out`;
        reporter.note(`${String(retailer)}: ${leftOut}, without a price${age} on ${base}${hint}`);
      }
      return { base };
    },
    subject: ["retailer", "currency", "crawl_date"],
    noun: "day",
    view: async () => (await import("./index-table.ts")).indexText,
  };
}

/** @throws UsageError if the folder has no row on the days, or does not know the base day */
function daysOf(
  { base, startDate, endDate }: IndexOptions,
  { name, days: all }: SyncedFolder,
  { newest, now }: { newest: string; now: number },
): { start: string; end: string; base?: string } {
  const days = all.filter((day) => day <= newest);
  const [first, latest] = [days[0], days.at(-1)];
  if (first === undefined || latest === undefined) {
    throw noMatchingRows({ name });
  }
  const dayFor = (expression: DateExpression) => resolveDay(expression, { today: dayOf(now), latest });
  const [from, to] = [dayFor(startDate ?? first), dayFor(endDate ?? latest)];
  const range = `${name} has ${first} to ${latest}`;
  const start = days.find((day) => day >= from && day <= to);
  if (start === undefined) {
    const until = endDate === undefined ? "on" : `to ${to}`;
    const asked = startDate === undefined ? `up to ${to}` : `from ${from} ${until}`;
    throw new UsageError(`there are no rows ${asked}; ${range}.`);
  }
  if (base === undefined) {
    return { start, end: to };
  }
  const day = dayFor(base);
  if (day < first || day > latest) {
    throw new UsageError(`--base ${base}: ${range}. Name one of these days.`, { flag: "--base", suggestions: [first] });
  }
  return { start, end: to, base: day };
}
