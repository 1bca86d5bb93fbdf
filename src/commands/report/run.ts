import type { Context } from "../../cli/context.ts";
import { newestMatchingDay } from "../../cli/question/compared-days.ts";
import { type PreparedQuestion, prepareQuestion } from "../../cli/question/prepare-question.ts";
import { noMatchingRows, openSyncedFolder, type SyncedFolder } from "../../cli/source/synced-folder.ts";
import { openPage, writeChunks } from "../../cli/write-rows.ts";
import { filtersAsFlags } from "../../pull/written-filters.ts";
import { collectReport, type ReportSubject } from "./collect-report.ts";
import { failIfFiguresMatch } from "./figures.ts";
import type { ReportOptions } from "./options.ts";
import { reportText } from "./report-text.ts";
import {
  askReport,
  columnsOfSection,
  type ReportAnswers,
  type ReportRequest,
  reportSql,
  SECTION_NAMES,
} from "./sections.ts";

export async function runReport(options: ReportOptions, context: Context): Promise<void> {
  using synced = await openSyncedFolder(options, context);
  await using prepared = await prepareQuestion({ bookmarks: "report" }, options, synced, context);
  const subject = subjectOf(options, synced, prepared, context);
  const request: ReportRequest = {
    parameters: { ...prepared.parameters, own_list: null, stale_after: options.staleAfter },
    ownList: prepared.parameters.own_list ?? null,
    compares: subject.since !== undefined,
  };
  if (options.showSql) {
    await writeChunks([prepared.preamble, reportSql(request)], options.output, context);
    return;
  }
  const answers = await askReport(prepared.prices, request);
  if (answers.answers.get("retailers")?.count === 0) {
    throw noMatchingRows(synced);
  }
  const { output, page, limit, urls } = options;
  const report = await collectReport(prepared.prices, answers, subject, { limit, parameters: request.parameters });
  await using file = page && (await openPage(page, context));
  if (page === undefined || !page.isOnly) {
    const document = output.format === "json" ? reportDocument(subject, answers) : [reportText(report, { urls })];
    await writeChunks(document, output, context);
  }
  if (page !== undefined && file !== undefined) {
    const { reportPage } = await import("./report-page.ts");
    await file.write(reportPage(report));
    await file.finish();
    const days = subject.since === undefined ? subject.newest : `${subject.since} to ${subject.newest}`;
    synced.reporter.note(`${page.file}: the report of ${days}`);
  }
  // The bookmark is set although lists for people may be cut: they say so, and the figures count all products.
  await prepared.comparison?.bookmark?.set();
  failIfFiguresMatch(options.conditions, answers.figures);
}

function subjectOf(
  { brands, filters, staleAfter }: ReportOptions,
  { name, days }: SyncedFolder,
  { newest, comparison }: PreparedQuestion,
  context: Context,
): ReportSubject {
  // Since a bookmark there may be no newer day; the report then has no changes. A folder with one day has nothing to compare.
  const isSinceBookmark = comparison?.bookmark !== undefined && days.length > 1;
  const hasEarlierDay = comparison !== undefined && (comparison.oldest < newest || isSinceBookmark);
  return {
    name,
    newest,
    staleAfter,
    first: days[0] ?? newest,
    last: newestMatchingDay({ days }, newest),
    now: context.now(),
    since: hasEarlierDay ? comparison.oldest : undefined,
    isByRetailer: comparison?.isByRetailer === true,
    isSinceReport: comparison?.isFromBookmark === true,
    filters: filtersAsFlags(filters, brands),
  };
}

/** The document of `-f json`: the figures, then all rows of each section. Numbers keep all their digits. */
async function* reportDocument(
  { since, newest }: ReportSubject,
  { figures, answers }: ReportAnswers,
): AsyncGenerator<string> {
  const head = { since: since ?? null, newest_day: newest, figures };
  yield JSON.stringify(head).slice(0, -1);
  for (const name of SECTION_NAMES) {
    yield `,\n"${name}":[`;
    const columns = columnsOfSection(name);
    const answer = answers.get(name);
    let separator = "\n";
    for await (const texts of answer?.rows({ columns }) ?? []) {
      yield separator + texts.join(",\n");
      separator = ",\n";
    }
    yield "]";
  }
  yield "}\n";
}
