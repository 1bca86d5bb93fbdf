import { plural } from "../../contract/values/phrases.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { ask, filledIn, type Parameters, readRows } from "../../folder/ask/ask.ts";
import SUSPECTS from "../../folder/questions/suspects.sql";
import { batchOf } from "../../rows/scan.ts";
import type { Context } from "../context.ts";
import { failIfAnyMatch, failIfCountMatches } from "../flags/condition.ts";
import { hasRowFormat } from "../flags/output.ts";
import { allRowsHint, usualLimit } from "../list-limit.ts";
import { openSyncedFolder, type SyncedFolder } from "../source/synced-folder.ts";
import { openPage, writeChunks, writeRows } from "../write-rows.ts";
import { prepareQuestion } from "./prepare-question.ts";
import { answerColumns, namesOf, type Question, type QuestionOptions, typesOf } from "./question.ts";
import type { Answered } from "./show-answer.ts";

/**
 * Asks a folder a question, and writes the answer.
 *
 * @throws ConditionHoldsError if a row of the answer meets the condition of `--fail-if`
 */
export async function runQuestion<Options extends QuestionOptions>(
  declared: Question<Options>,
  options: Options,
  context: Context,
): Promise<void> {
  using synced = await openSyncedFolder(options, context);
  await using prepared = await prepareQuestion(declared, options, synced, context);
  const { prices, newest, comparison, retailers } = prepared;
  const question = { ...declared, ...declared.ofRetailers?.(options, retailers) };
  const known = { ...prepared.parameters, ...question.parameters?.(options) };
  const parameters = { ...known, ...(await question.find?.(prices, known, options, synced)) };
  if (options.showSql) {
    await writeChunks([prepared.preamble, `${filledIn(question.sql, parameters).trim()}\n`], options.output, context);
    return;
  }
  const totals = hasRowFormat(options.output) ? undefined : await totalsOf(prices, question, parameters);
  const answer = await ask(prices, question.sql, parameters, undefined, question.sqlNames);
  const { oldest = "", isByRetailer = false } = comparison ?? {};
  const about = { days: { newest, since: isByRetailer ? `${oldest} or later` : oldest }, totals };
  const isWhole = await write({ question, options, answer, about, synced, context });
  if (!question.countsRows) {
    await noteSuspects(prices, parameters, synced, options);
  }
  if (comparison?.bookmark !== undefined) {
    await (isWhole
      ? comparison.bookmark.set()
      : synced.reporter.note(
          `the bookmark stays where it was, because not all rows were shown; ${allRowsHint(options.list.limit)}`,
        ));
  }
  if (options.failIf !== undefined) {
    failIfCountMatches(options.failIf, answer.count, question.noun);
    failIfAnyMatch(options.failIf, await answer.meeting(options.failIf.comparisons, question.subject), question.noun);
  }
}

async function totalsOf<Options extends QuestionOptions>(
  prices: DuckDb,
  { sql, totals, totalsParameters: others = {} }: Question<Options>,
  parameters: Parameters,
) {
  return totals && (await (await ask(prices, sql, { ...parameters, ...others })).totals(totals));
}

/** @returns whether all rows of the answer were written */
async function write<Options extends QuestionOptions>(answered: Answered<Options>): Promise<boolean> {
  const { question, options, synced, context } = answered;
  const { page } = options;
  if (page === undefined || question.page === undefined) {
    return await writeListing(answered);
  }
  const { shownAnswer } = await import("./show-answer.ts");
  const shown = await shownAnswer(answered, {}, await groupsOf(answered));
  const html = await question.page.render(shown, options, { name: synced.name, now: context.now() });
  await using file = await openPage(page, context);
  if (!page.isOnly) {
    await writeListing(answered);
  }
  await file.write(html);
  await file.finish();
  synced.reporter.note(`${page.file}: ${question.page.note(shown, options)}`);
  return true;
}

/** @returns whether all rows of the answer were written */
async function writeListing<Options extends QuestionOptions>(answered: Answered<Options>): Promise<boolean> {
  const { question, options, answer, synced, context } = answered;
  const { output, list } = options;
  const limit = list.limit ?? usualLimit(output, context, question.shownRows);
  const limitPer = question.limitPer?.(options) ?? [];
  const selection = { sort: list.sort, limit: Number.isFinite(limit) ? limit : undefined, limitPer };
  const groups = await groupsOf(answered);
  const parts = limitPer.length === 0 ? [answer] : groups;
  const selected = parts.reduce((sum, { count }) => sum + Math.min(limit, count), 0);
  if (hasRowFormat(output)) {
    const all = answerColumns(question.columns, options);
    const columns = options.columns ?? namesOf(all);
    const rows = batchesOf(answer.rows({ columns, ...selection }), columns);
    const encoding = { known: namesOf(all), chosen: options.columns, types: typesOf(all) };
    await writeRows(rows, output, encoding, synced.reporter, context);
  } else {
    const { showForPeople } = await import("./show-answer.ts");
    await showForPeople(answered, selection, groups, selected);
  }
  return selected === answer.count;
}

/** The groups of `limitPer`; none for a question without it. */
async function groupsOf<Options extends QuestionOptions>({ question, options, answer }: Answered<Options>) {
  const limitPer = question.limitPer?.(options) ?? [];
  return limitPer.length === 0 ? [] : await answer.groups(limitPer);
}

async function* batchesOf(chunks: AsyncIterable<readonly string[]>, columns: readonly string[]) {
  for await (const texts of chunks) {
    yield batchOf(texts, columns);
  }
}

async function noteSuspects(
  prices: DuckDb,
  parameters: Parameters,
  { reporter, state }: SyncedFolder,
  { suspectFactor }: QuestionOptions,
): Promise<void> {
  if (!reporter.showsNotes || suspectFactor === undefined || Object.keys(state.days).length === 0) {
    return;
  }
  const [[count] = []] = await readRows(prices, `SELECT count(*) FROM (${SUSPECTS})`, {
    products: null,
    ...parameters,
  });
  if (Number(count) > 0) {
    reporter.note(`${plural(Number(count), "row")} with a suspect price left out; --include-suspect keeps them`);
  }
}
