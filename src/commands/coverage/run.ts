import type { CoverageAnswer } from "../../api/answers/coverage-answer.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { showTable } from "../../cli/pager.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { screenOf } from "../../cli/terminal.ts";
import { writeRows } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { captioned, renderMarkdown, renderTable } from "../../output/terminal/tables/table.ts";
import { batchOf } from "../../rows/scan.ts";
import { type Activity, readActivity } from "./activity.ts";
import { activityChart, barChart } from "./activity-chart.ts";
import { coverageTable, coverageView, RANGE } from "./combinations-table.ts";
import type { DayCounts } from "./day-counts.ts";
import { daysTable, daysView, describeGaps } from "./days-table.ts";
import {
  COVERAGE_CELLS,
  type CombinationEntry,
  type CoverageGroup,
  columnsOf,
  type DayGroup,
  type Dimension,
  groupCoverage,
  groupDays,
  listed,
  withAge,
} from "./groups.ts";
import type { CoverageOptions } from "./options.ts";
import { type CoverageSource, countingClient, withCoverageSource } from "./source.ts";

/** Writes how much data exists, in the view of the options. */
export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const { counted, view, notes, reporter } = await withCoverageSource(options, context, async (source) => {
    const answer = await source.client.coverage(source.filters, source.signal);
    if (answer.data.length === 0) {
      await reportEmpty(source, options);
    }
    const counted = await countedBy(options, answer, source, context.now());
    const view = await viewOf(counted, options, source, context);
    const notes = counted.days === undefined ? [] : notesOn(counted.days, source);
    return { counted, view, notes, reporter: source.reporter };
  });
  const { output } = options;
  if (view !== undefined) {
    const hidden = (view.hidden ?? []).filter((heading) => heading !== RANGE && heading !== "");
    await showTable({ text: view.text, hidden }, output, options.list, reporter, context);
  } else if (hasRowFormat(output)) {
    const rows = counted.entries.map((entry) => JSON.stringify(entry));
    const known = columnsOf(options.groupBy);
    await writeRows([batchOf(rows, known)], output, { known, kinds: COVERAGE_CELLS }, reporter, context);
  }
  notes.forEach(reporter.note);
}

function notesOn(days: DayCounts, { isFolder, reporter }: CoverageSource): string[] {
  const { sent } = reporter.requests();
  const requests = isFolder ? [] : [`${groupDigits(sent)} request${sent === 1 ? "" : "s"}`];
  return [[...describeGaps(days), ...requests].join(" · ")].filter((text) => text !== "");
}

/** What is written: days, or combinations and groups of them. */
type Counted = { answer: CoverageAnswer } & (
  | { days: DayCounts; entries: readonly DayGroup[] }
  | { days?: undefined; groupBy: Dimension | undefined; entries: readonly (CombinationEntry | CoverageGroup)[] }
);

async function countedBy(
  { groupBy, list }: CoverageOptions,
  answer: CoverageAnswer,
  source: CoverageSource,
  now: number,
): Promise<Counted> {
  if (groupBy === "day") {
    const days = await source.days(answer.data);
    return { answer, days, entries: listed(groupDays(days, now), list) };
  }
  const entries =
    groupBy === undefined ? answer.data.map((entry) => withAge(entry, now)) : groupCoverage(answer.data, groupBy, now);
  return { answer, groupBy, entries: listed<CombinationEntry | CoverageGroup>(entries, list) };
}

interface View {
  text: string;
  /** Columns that were left out. */
  hidden?: readonly string[];
}

/** The view for people; undefined for the row formats. */
async function viewOf(
  counted: Counted,
  options: CoverageOptions,
  source: CoverageSource,
  context: Context,
): Promise<View | undefined> {
  const { chartRequests, output } = options;
  const { answer, entries } = counted;
  const screen = screenOf(context, options);
  const now = context.now();
  if (output.format === "html") {
    const { coveragePage } = await import("./page.ts");
    const activity = await readDays(counted, chartRequests ?? 0, source);
    const { service, filters } = source;
    return { text: coveragePage(answer, { filters, service, now, activity }) };
  }
  if (chartRequests !== undefined) {
    if (entries.length === 0) {
      return { text: "nothing matches the filters\n" };
    }
    const activity = await readDays(counted, chartRequests, source);
    const isFree = source.isFolder || counted.days !== undefined;
    const cost = isFree ? "" : `; ${groupDigits(activity.periods.length)} coverage requests`;
    const bars = barChart(entries, options.groupBy, screen);
    return { text: `${bars}\n${activityChart(activity, cost, screen)}` };
  }
  if (output.format === "table") {
    if (counted.days !== undefined) {
      return renderTable(daysView(counted.entries, counted.days, now), screen);
    }
    const view = { width: screen.width, byRetailer: options.list.sort === undefined, now };
    const { table, caption } = coverageView(counted.entries, counted.groupBy, answer.meta.coverage, view);
    const { text, hidden } = renderTable(table, screen);
    return { text: captioned(caption, text, screen), hidden };
  }
  if (output.format !== "markdown") {
    return undefined;
  }
  const table =
    counted.days === undefined
      ? coverageTable(counted.entries, counted.groupBy, answer.meta.coverage, now)
      : daysTable(counted.entries, counted.days, now);
  return { text: renderMarkdown(table) };
}

/** When the rows were crawled. If the days are known, no request is sent. */
async function readDays({ answer, days }: Counted, requests: number, source: CoverageSource): Promise<Activity> {
  const client = days === undefined ? source.client : countingClient(days);
  const activity = await readActivity(client, source.filters, answer.meta.coverage, requests, source.signal);
  warnOfChange(answer, activity.rows, source.reporter);
  return activity;
}

/** Checks that the periods add up to the whole set; if not, it changed between two requests. */
function warnOfChange(
  { meta }: CoverageAnswer,
  rows: ReadonlyMap<string, readonly number[]>,
  reporter: Reporter,
): void {
  const sum = [...rows.values()].flat().reduce((total, count) => total + count, 0);
  if (sum !== meta.coverage.matching_rows) {
    reporter.warn(`the set changed while it was read: ${meta.coverage.matching_rows} rows at first, then ${sum}`);
  }
}
