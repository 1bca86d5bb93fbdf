import type { CoverageAnswer } from "../../api/answers/coverage-answer.ts";
import type { OutputOptions } from "../../cli/flags/output.ts";
import { notShown } from "../../cli/hidden-columns.ts";
import { showText } from "../../cli/pager.ts";
import { type Connection, withConnection } from "../../cli/source/connection.ts";
import { emptyResult } from "../../cli/source/empty-result.ts";
import { isColoured, widthOf } from "../../cli/terminal.ts";
import { writeRows } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { EmptyResultError } from "../../errors.ts";
import { renderMarkdown } from "../../output/formats/markdown.ts";
import type { RowFormat } from "../../output/formats/registry.ts";
import { captioned, renderTable } from "../../output/terminal/tables/table.ts";
import { batchOf } from "../../rows/scan.ts";
import { readActivity } from "./activity.ts";
import { activityChart, barChart } from "./activity-chart.ts";
import { coverageTable, coverageView, RANGE } from "./combinations-table.ts";
import { type CoverageGroup, columnsOf, groupCoverage, listed } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";

/** Writes how much data exists, in the view of the options. */
export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const { answer, view, note } = await withConnection(options, context, async (connection) => {
    const answer = await connection.client.coverage(connection.filters);
    if (answer.data.length === 0) {
      const message = await emptyResult(connection);
      if (options.failOnEmpty) {
        throw new EmptyResultError(message);
      }
      connection.reporter.note(message);
    }
    return { answer, view: await viewOf(answer, options, connection, context), note: connection.reporter.note };
  });
  const { output } = options;
  if (view !== undefined) {
    await showText(view.text, output, options.list, context);
    const hidden = (view.hidden ?? []).filter((heading) => heading !== RANGE);
    notShown(hidden, "-f csv has them all").forEach(note);
    return;
  }
  const rows = entriesOf(answer.data, options).map((entry) => JSON.stringify(entry));
  const known = columnsOf(options.groupBy);
  await writeRows(batchOf(rows, known), output as OutputOptions<RowFormat>, { known }, context);
}

/** The view for people; undefined for the row formats. */
async function viewOf(
  answer: CoverageAnswer,
  options: CoverageOptions,
  connection: Connection,
  context: Context,
): Promise<{ text: string; hidden?: readonly string[] } | undefined> {
  const { groupBy, chartRequests, output } = options;
  const entries = entriesOf(answer.data, options);
  const { coverage } = answer.meta;
  const isTerminal = output.output === undefined;
  const width = isTerminal ? widthOf(context.stdout) : undefined;
  const colour = isTerminal && isColoured(context.stdout, options.globals.color, context.env);
  const readDays = async (requests: number) => {
    const activity = await readActivity(connection.client, connection.filters, coverage, requests, connection.signal);
    warnOfChange(answer, activity.rows, connection);
    return activity;
  };
  if (output.format === "html") {
    const { coveragePage } = await import("./page.ts");
    const activity = await readDays(chartRequests ?? 0);
    const { service, filters } = connection;
    return { text: coveragePage(answer, { filters, service, now: context.now(), activity }) };
  }
  if (chartRequests !== undefined) {
    if (entries.length === 0) {
      return { text: "nothing matches the filters\n" };
    }
    const activity = await readActivity(
      connection.client,
      connection.filters,
      coverage,
      chartRequests,
      connection.signal,
    );
    warnOfChange(answer, activity.rows, connection);
    const bars = barChart(entries, groupBy, { width, colour });
    return { text: `${bars}\n${activityChart(activity, { width, colour })}` };
  }
  if (output.format === "table") {
    const view = { width, byRetailer: options.list.sort === undefined };
    const { table, caption } = coverageView(entries, groupBy, coverage, view);
    const { text, hidden } = renderTable(table, { width, colour });
    return { text: captioned(caption, text, { width, colour }), hidden };
  }
  return output.format === "markdown" ? { text: renderMarkdown(coverageTable(entries, groupBy, coverage)) } : undefined;
}

function entriesOf(data: readonly Coverage[], { groupBy, list }: CoverageOptions): (Coverage | CoverageGroup)[] {
  return listed(groupBy === undefined ? data : groupCoverage(data, groupBy), list);
}

/** Checks that the periods add up to the whole set; if not, it changed between two requests. */
function warnOfChange(
  { meta }: CoverageAnswer,
  rows: ReadonlyMap<string, readonly number[]>,
  { reporter }: Connection,
): void {
  const sum = [...rows.values()].flat().reduce((total, count) => total + count, 0);
  if (sum !== meta.coverage.matching_rows) {
    reporter.warn(`the set changed while it was read: ${meta.coverage.matching_rows} rows at first, then ${sum}`);
  }
}
