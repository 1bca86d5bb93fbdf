import type { Context } from "../../../cli/context.ts";
import { countBar, heatLine } from "../../../cli/terminal/chart.ts";
import { screenOf } from "../../../cli/terminal/screen.ts";
import type { Screen } from "../../../cli/terminal/style.ts";
import { itemTable, numberColumn, textColumn } from "../../../cli/terminal/tables/item-table.ts";
import { recordTable } from "../../../cli/terminal/tables/row-table.ts";
import { captioned, fullWidthOf, renderMarkdown, renderTable } from "../../../cli/terminal/tables/table.ts";
import { wrap } from "../../../cli/terminal/wrap.ts";
import { coverageColumns, DIMENSIONS, type Grouping } from "../columns.ts";
import { type Counted, type Entry, entryMember } from "../groups.ts";
import type { CoverageOptions } from "../options.ts";
import { type Activity, activityInPeriods } from "./activity.ts";
import { coverageTable, coverageView, RANGE } from "./coverage-table.ts";

/**
 * The view for people. `--chart` draws the days below the bars, if they are known.
 *
 * @returns the text, and the headings of the columns that were left out; bars do not count
 */
export function viewOf(listed: Counted, options: CoverageOptions, context: Context): ReturnType<typeof renderTable> {
  const { chart, output, columns, groupBy } = options;
  const { entries, days } = listed;
  const screen = screenOf(context, options);
  const now = context.now();
  if (chart) {
    if (entries.length === 0) {
      return { text: "nothing matches the filters\n", hidden: [] };
    }
    const activity = days === undefined ? "" : `\n${activityChart(activityInPeriods(days, CHART_PERIODS), screen)}`;
    return { text: `${barChart(listed, groupBy, screen)}${activity}`, hidden: [] };
  }
  const chosen = columns && recordTable(entries, coverageColumns(groupBy), columns);
  if (output.format !== "table") {
    return { text: renderMarkdown(chosen ?? coverageTable(listed, groupBy, now)), hidden: [] };
  }
  if (chosen !== undefined) {
    return renderTable(chosen, screen);
  }
  const view = { width: screen.width, byRetailer: options.list.sort === undefined, now };
  const { table, caption } = coverageView(listed, groupBy, view);
  const { text, hidden } = renderTable(table, screen);
  const omitted = hidden.filter((heading) => heading !== RANGE && heading !== "");
  return { text: captioned(caption, text, screen), hidden: omitted };
}

/** Maximum number of periods of the activity over time. */
const CHART_PERIODS = 24;

/** Largest and smallest width of a bar of `--chart`. */
const CHART_BAR = { most: 40, least: 8 } as const;

/** Draws the matching rows of each combination or group as bars, after its first and last day unless each day is drawn. */
function barChart({ entries, days }: Counted, groupBy: Grouping | undefined, screen: Screen): string {
  const names = groupBy === "day" ? ["crawl_date"] : groupBy === undefined ? DIMENSIONS : [groupBy];
  const largest = entries.reduce((most, { matching_rows }) => Math.max(most, matching_rows), 0);
  const counts = [
    ...names.map((name) =>
      textColumn(name === "crawl_date" ? "day" : name, (entry: Entry) => String(entryMember(entry, name))),
    ),
    numberColumn("rows", (entry: Entry) => entry.matching_rows),
  ];
  const range =
    days === undefined ? [dayColumn("first day", "earliest_date"), dayColumn("last day", "latest_date")] : [];
  const room = (screen.width ?? Number.POSITIVE_INFINITY) - fullWidthOf(itemTable(entries, [...counts, ...range])) - 2;
  const width = Math.min(CHART_BAR.most, Math.max(CHART_BAR.least, room));
  const bars = textColumn("", (entry: Entry) => countBar(entry.matching_rows, largest, width), { rigid: true });
  return renderTable(itemTable(entries, [...counts, bars, ...range]), screen).text;
}

function dayColumn(heading: string, name: "earliest_date" | "latest_date") {
  return textColumn(heading, (entry: Entry) => String(entryMember(entry, name) ?? ""));
}

/** From this width on a period takes two cells. */
const WIDE = 100;

/** Draws the crawl activity of each retailer, rows a day, as a line of shades over time. */
function activityChart({ periods, rows }: Activity, screen: Screen): string {
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) {
    return "";
  }
  const cells = (screen.width ?? WIDE) >= WIDE ? 2 : 1;
  const perDay = (counts: readonly number[]) => counts.map((count, index) => count / (periods[index]?.days ?? 1));
  const retailers = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const table = itemTable(retailers, [
    textColumn("retailer", ([retailer]) => retailer),
    textColumn(`${first.start} to ${last.end}`, ([, counts]) => heatLine(perDay(counts), cells), { rigid: true }),
  ]);
  const days = Math.round(periods.reduce((sum, period) => sum + period.days, 0) / periods.length);
  const about = periods.every((period) => period.days === days) ? "" : "about ";
  const unit = days === 1 ? "day" : "days";
  const legend = `each mark is ${about}${days} ${unit}: · no rows, ░▒▓█ rows a day against the retailer's own maximum`;
  return `${renderTable(table, screen).text}${wrap(legend, screen.width)}\n`;
}
