import { plural } from "../../contract/values/phrases.ts";
import type { Answer, RowSelection } from "../../folder/ask/ask.ts";
import type { Context } from "../context.ts";
import { limitNote } from "../list-limit.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";
import { showTable } from "../terminal/pager.ts";
import { screenOf } from "../terminal/screen.ts";
import { recordTable } from "../terminal/tables/row-table.ts";
import { renderMarkdown, renderTable } from "../terminal/tables/table.ts";
import {
  type AnswerView,
  answerColumns,
  namesOf,
  type Question,
  type QuestionOptions,
  type ShownAnswer,
} from "./question.ts";

export interface Answered<Options extends QuestionOptions> {
  question: Question<Options>;
  options: Options;
  answer: Answer;
  about: Pick<ShownAnswer, "days" | "totals">;
  synced: SyncedFolder;
  context: Context;
}

type Selection = Omit<RowSelection, "columns">;

/** Shows the view of the question; a plain table for Markdown, or for `--columns` without groups. @param selected number of rows shown */
export async function showForPeople<Options extends QuestionOptions>(
  answered: Answered<Options>,
  selection: Selection,
  groups: ShownAnswer["groups"],
  selected: number,
): Promise<void> {
  const { question, options, answer, about, synced, context } = answered;
  const { columns, output, list } = options;
  const { reporter, days } = synced;
  const isGrouped = selection.limitPer !== undefined && selection.limitPer.length > 0;
  const isMarkdown = output.format === "markdown";
  const isView = !isMarkdown && (columns === undefined || isGrouped);
  const takesAll = isView && question.viewTakesAll === true;
  const screen = screenOf(context, options);
  const shown = await shownAnswer(answered, takesAll ? {} : selection, groups);
  const names = namesOf(answerColumns(question.columns, options));
  const plainTable = () => {
    const all = recordTable(shown.rows, names, columns ?? names);
    return isMarkdown ? { text: renderMarkdown(all), hidden: [] } : renderTable(all, screen);
  };
  const view = isView ? await question.view?.() : undefined;
  const table: ReturnType<AnswerView<Options>> = view?.(shown, options, screen) ?? plainTable();
  await showTable(table, output, list, reporter, context);
  const { notes = answer.count === 0 ? [`no ${question.noun} matches`] : [] } = table;
  notes.forEach(reporter.note);
  const crawled = days.filter((day) => day <= about.days.newest).length;
  const what = question.countsRows ? "rows" : "prices";
  reporter.note(`${what} of ${plural(crawled, "day")}, the newest ${about.days.newest}`);
  if (!takesAll && !isGrouped && selected < answer.count) {
    reporter.note(limitNote(selected, answer.count, list.limit));
  }
}

/** The selected rows of an answer, for a view or a page. */
export async function shownAnswer<Options extends QuestionOptions>(
  { question, options, answer, about }: Answered<Options>,
  selection: Selection,
  groups: ShownAnswer["groups"],
): Promise<ShownAnswer> {
  const limitPer = question.limitPer?.(options) ?? [];
  const columns = [
    ...new Set([...namesOf(answerColumns(question.columns, options)), ...(question.viewColumns ?? []), ...limitPer]),
  ];
  return {
    rows: await answer.records({ columns, ...selection }),
    count: answer.count,
    groups,
    ...about,
  };
}
