import { ConditionHoldsError, NotFoundError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { counted, groupDigits } from "../../contract/values/counted.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type Answer, ask, filledIn, type Parameters, type RowSelection, readRows } from "../../folder/ask/ask.ts";
import { openPrices } from "../../folder/ask/open-prices.ts";
import type { Context } from "../context.ts";
import { heldText } from "../flags/condition.ts";
import { hasRowFormat } from "../flags/output.ts";
import { type SyncedFolder, withSyncedFolder } from "../source/synced-folder.ts";
import { showTable } from "../terminal/pager.ts";
import { screenOf } from "../terminal/screen.ts";
import { recordTable } from "../terminal/tables/row-table.ts";
import { renderTable } from "../terminal/tables/table.ts";
import { usualLimit } from "../write-list.ts";
import { writeChunks, writePage } from "../write-rows.ts";
import { daysOfRetailers, newestDayOf, newestOfRetailers } from "./compared-days.ts";
import { namesOf, type Question, type QuestionOptions, type ShownAnswer } from "./declaration.ts";
import { type SinceOfRetailers, sinceOfRetailers } from "./since.ts";
import { writeAnswer } from "./write-answer.ts";

/** Asks a folder a question and writes the answer. */
export async function runQuestion<Options extends QuestionOptions>(
  question: Question<Options>,
  options: Options,
  context: Context,
): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { reporter, signal, folder, name } = synced;
    const { newest: newestOfFolder, laterRows } = newestDayOf(synced, context.now());
    const days = question.days?.(options, synced, { newest: newestOfFolder, now: context.now() });
    const lastDay = days?.to ?? synced.filters.end_date ?? newestOfFolder;
    if (laterRows > 0) {
      reporter.warn(`${name} has ${counted(laterRows, "row")} of days after today; they are left out`);
    }
    const newest = newestOfRetailers(synced, lastDay);
    const compared = await comparedDays(question, options, days, synced, newest, context);
    try {
      const today = dayOf(context.now());
      const scope = {
        ...scopeOf(synced, options),
        days: daysOfRetailers(synced, newest, { lastDay, today }, compared?.of),
      };
      await using prices = await openPrices({
        ...{ folder, state: synced.state, signal, lastDay, suspectFactor: options.suspectFactor, scope },
        onBuild: (days) => reporter.progress.update({ doing: `reading the prices of ${counted(days, "day")}` }),
        onNotStored: (reason) => reporter.note(`the index of ${name} cannot be stored for the next command: ${reason}`),
      });
      reporter.progress.clear();
      await checkBrandNames(prices, options.brands, name);
      const known = {
        ...scope,
        max_age: options.maxAge ?? null,
        last_day: lastDay,
        ...question.parameters(options),
      };
      const parameters = { ...known, ...(await question.find?.(prices, known, options, synced)) };
      if (options.showSql) {
        await writeChunks([`${filledIn(question.sql, parameters).trim()}\n`], options.output, context);
        return;
      }
      const totals = hasRowFormat(options.output) ? undefined : await totalsOf(prices, question, parameters);
      const answer = await ask(prices, question.sql, parameters);
      const about = { days: { newest: lastDay, since: compared?.oldest ?? "" }, totals };
      const isWhole = await write(question, options, answer, about, synced, context);
      await noteSuspects(prices, parameters, synced, options);
      if (compared?.bookmark !== undefined) {
        await (isWhole
          ? compared.bookmark.set()
          : reporter.note(
              "the bookmark stays where it was, because not all rows were shown; -f ndjson or -o FILE writes them all",
            ));
      }
      await refuseMet(question, options, answer);
    } finally {
      await compared?.bookmark?.release();
    }
  });
}

/** The day that each retailer is compared with; undefined for a question that compares nothing. */
async function comparedDays<Options extends QuestionOptions>(
  { compares, command }: Question<Options>,
  { since }: Options,
  days: { from: string } | undefined,
  synced: SyncedFolder,
  newest: ReadonlyMap<string, string>,
  context: Context,
): Promise<SinceOfRetailers | undefined> {
  if (days !== undefined) {
    return { oldest: days.from, of: () => days.from, bookmark: undefined };
  }
  return compares ? await sinceOfRetailers({ since, command }, synced, newest, context) : undefined;
}

/** What `totals` of a question gives. */
async function totalsOf<Options extends QuestionOptions>(
  prices: DuckDb,
  { sql, totals, totalsOf: others = {} }: Question<Options>,
  parameters: Parameters,
) {
  return totals && (await (await ask(prices, sql, { ...parameters, ...others })).totals(totals));
}

/** The parameters of what the filters match, without days. */
function scopeOf({ filters }: SyncedFolder, { brands }: QuestionOptions): Parameters {
  const list = (value: string | undefined) => (value === undefined ? null : [value]);
  return {
    departments: list(filters.department),
    categories: list(filters.category),
    combinations: filters.rcd?.split(",") ?? null,
    brands: brands ?? null,
  };
}

/** @returns whether all rows of the answer were written */
async function write<Options extends QuestionOptions>(
  question: Question<Options>,
  options: Options,
  answer: Answer,
  about: Pick<ShownAnswer, "days" | "totals">,
  synced: SyncedFolder,
  context: Context,
): Promise<boolean> {
  const { page } = options;
  if (page === undefined || question.page === undefined) {
    return await writeListing(question, options, answer, about, synced, context);
  }
  const shown = await shownAnswer(question, options, answer, about, { sort: undefined, limit: undefined });
  const html = await question.page.render(shown, options, { name: synced.name, now: context.now() });
  await writePage(html, page, context, async () => {
    await writeListing(question, options, answer, about, synced, context);
  });
  synced.reporter.note(`${page.file}: ${question.page.note(shown, options)}`);
  return true;
}

async function writeListing<Options extends QuestionOptions>(
  question: Question<Options>,
  options: Options,
  answer: Answer,
  about: Pick<ShownAnswer, "days" | "totals">,
  { reporter, state }: SyncedFolder,
  context: Context,
): Promise<boolean> {
  const { output, list, columns } = options;
  const limit = list.limit ?? usualLimit(output, context, question.shownRows);
  const limitPer = question.limitPer?.(options) ?? [];
  const groups = limitPer.length === 0 ? [answer] : await answer.groups(limitPer);
  const selected = groups.reduce((sum, { count }) => sum + Math.min(limit, count), 0);
  const selection = { sort: list.sort, limit: Number.isFinite(limit) ? limit : undefined, limitPer };
  if (hasRowFormat(output)) {
    await writeAnswer(answer, selection, question.columns, { ...options, output }, reporter, context);
    return selected === answer.count;
  }
  const isView = columns === undefined || limitPer.length > 0;
  const takesAll = isView && question.viewTakesAll === true;
  const screen = screenOf(context, options);
  const shown = await shownAnswer(question, options, answer, about, takesAll ? {} : selection);
  const table: ReturnType<typeof question.view> = isView
    ? question.view(shown, options, screen)
    : renderTable(recordTable(shown.rows, namesOf(question.columns), columns), screen);
  await showTable(table, output, list, reporter, context);
  table.notes?.forEach(reporter.note);
  const crawled = Object.keys(state.days).filter((day) => day <= about.days.newest).length;
  reporter.note(`prices of ${counted(crawled, "day")}, the newest ${about.days.newest}`);
  if (!takesAll && limitPer.length === 0 && selected < answer.count) {
    reporter.note(
      `the first ${groupDigits(selected)} of ${groupDigits(answer.count)}; -f ndjson or -o FILE has them all`,
    );
  }
  return selected === answer.count;
}

async function shownAnswer<Options extends QuestionOptions>(
  question: Question<Options>,
  options: Options,
  answer: Answer,
  about: Pick<ShownAnswer, "days" | "totals">,
  selection: Omit<RowSelection, "columns">,
): Promise<ShownAnswer> {
  const limitPer = question.limitPer?.(options) ?? [];
  const columns = [...new Set([...namesOf(question.columns), ...(question.viewColumns ?? []), ...limitPer])];
  return {
    rows: await answer.records({ columns, ...selection }),
    count: answer.count,
    groups: limitPer.length === 0 ? [] : await answer.groups(limitPer),
    ...about,
  };
}

/** @throws NotFoundError if the folder has no product of a brand */
async function checkBrandNames(prices: DuckDb, brands: readonly string[] | undefined, folder: string): Promise<void> {
  for (const brand of brands ?? []) {
    const found = await readRows(prices, "SELECT 1 FROM brand WHERE brand_key = lower(trim($brand))", { brand });
    if (found.length === 0) {
      const names = (await readRows(prices, "SELECT brand FROM brand ORDER BY brand", {})).map(([name]) =>
        String(name),
      );
      throw new NotFoundError(`${folder} has no product of the brand ${JSON.stringify(brand)}.`, {
        ...{ flag: "--brand", value: brand },
        suggestions: closest(brand, names),
      });
    }
  }
}

/** Says how many rows were left out as suspect. */
async function noteSuspects(
  prices: DuckDb,
  parameters: Parameters,
  { reporter, state }: SyncedFolder,
  { suspectFactor }: QuestionOptions,
): Promise<void> {
  if (suspectFactor === undefined || Object.keys(state.days).length === 0) {
    return;
  }
  const sql = `SELECT count(*) AS rows FROM price JOIN scope($days, $departments, $categories, $combinations, $brands) USING (listing)
    WHERE excluded = 'suspect' AND day BETWEEN first_day AND last_day`;
  const [[count] = []] = await readRows(prices, sql, parameters);
  if (Number(count) > 0) {
    reporter.note(`${counted(Number(count), "row")} with a suspect price left out; --include-suspect takes them in`);
  }
}

/** @throws ConditionHoldsError if a row of the answer meets the condition of `--fail-if` */
async function refuseMet<Options extends QuestionOptions>(
  { subject, noun }: Question<Options>,
  { failIf }: Options,
  answer: Answer,
): Promise<void> {
  if (failIf === undefined) {
    return;
  }
  const names = await answer.meeting(failIf.comparisons, subject);
  if (names.length > 0) {
    throw new ConditionHoldsError(heldText(failIf, names, noun));
  }
}
