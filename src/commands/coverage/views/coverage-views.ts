import { screenOf } from "../../../cli/terminal.ts";
import type { Context } from "../../../context.ts";
import { countBar } from "../../../output/terminal/chart.ts";
import { counted, groupDigits } from "../../../output/terminal/counted.ts";
import { itemTable, numberColumn, textColumn } from "../../../output/terminal/tables/item-table.ts";
import { captioned, renderMarkdown, renderTable, type Table } from "../../../output/terminal/tables/table.ts";
import type { CoverageSource } from "../coverage-source.ts";
import { type CountedCombinations, type CountedDays, type DayGroup, daysOld, retailersOf } from "../groups.ts";
import type { CoverageOptions } from "../options.ts";
import { type Activity, readActivity } from "./activity.ts";
import { activityChart, barChart } from "./activity-chart.ts";
import { coverageTable, coverageView, RANGE } from "./combinations-table.ts";

interface CoverageView {
  text: string;
  /** Headings of the columns that were left out; bars do not count. */
  hidden: readonly string[];
}

/** The view for people. */
export function viewOf(
  counted: CountedDays | CountedCombinations,
  options: CoverageOptions,
  source: CoverageSource,
  context: Context,
  activity: Activity,
): CoverageView {
  const { chart, output } = options;
  const { entries } = counted;
  const screen = screenOf(context, options);
  const now = context.now();
  if (chart) {
    if (entries.length === 0) {
      return { text: "nothing matches the filters\n", hidden: [] };
    }
    const isFree = source.isFolder || counted.days !== undefined;
    const cost = isFree ? "" : `; ${groupDigits(activity.periods.length)} coverage requests`;
    const bars = barChart(entries, options.groupBy, screen);
    return { text: `${bars}\n${activityChart(activity, cost, screen)}`, hidden: [] };
  }
  if (output.format === "table") {
    const view = { width: screen.width, byRetailer: options.list.sort === undefined, now };
    const { table, caption } =
      counted.days === undefined ? coverageView(counted, view) : { table: daysTable(counted, now, true), caption: "" };
    const { text, hidden } = renderTable(table, screen);
    // A bar only draws what other columns say.
    const named = hidden.filter((heading) => heading !== RANGE && heading !== "");
    return { text: captioned(caption, text, screen), hidden: named };
  }
  const table = counted.days === undefined ? coverageTable(counted, now) : daysTable(counted, now, false);
  return { text: renderMarkdown(table), hidden: [] };
}

/** When the rows were crawled. If the days are known, no request is sent. */
export async function readDays(
  { response, days }: CountedDays | CountedCombinations,
  requests: number,
  source: CoverageSource,
): Promise<Activity> {
  const client = days === undefined ? source.client : (await import("../folder-source.ts")).countingClient(days);
  const activity = await readActivity(client, source.filters, response.meta.coverage, requests, source.signal);
  const expected = response.meta.coverage.matching_rows;
  const sum = [...activity.rows.values()].flat().reduce((total, count) => total + count, 0);
  if (sum !== expected) {
    source.reporter.warn(`the set changed while it was read: ${expected} rows at first, then ${sum}`);
  }
  return activity;
}

/** Widest bar, so that the table fits 80 cells. */
const BAR = 24;

/**
 * The table of the listed days; the totals are those of all days.
 *
 * @param now milliseconds since the epoch
 * @param withBars whether the last column draws the rows of each day as a bar
 */
function daysTable({ entries, days: all, isComplete, response }: CountedDays, now: number, withBars: boolean): Table {
  const rcds = response.data.flatMap(({ rcd, matching_rows }) => (matching_rows > 0 ? rcd : []));
  const { matching_rows: rows, latest_date: newest } = response.meta.coverage;
  const most = entries.reduce((largest, { matching_rows }) => Math.max(largest, matching_rows), 0);
  const bar = ({ matching_rows }: DayGroup) => countBar(matching_rows, most, BAR);
  return itemTable(entries, [
    textColumn("day", (entry) => entry.crawl_date, {
      rigid: true,
      total: isComplete ? counted(all.size, "day") : "total",
    }),
    numberColumn("retailers", (entry) => entry.retailers, retailersOf(rcds).size),
    numberColumn("combinations", (entry) => entry.combinations, rcds.length),
    numberColumn("rows", (entry) => entry.matching_rows, rows),
    numberColumn("days old", (entry) => entry.days_old, daysOld(newest, now)),
    ...(withBars ? [textColumn("", bar, { rigid: true, total: "" })] : []),
  ]);
}
