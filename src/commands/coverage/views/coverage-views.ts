import type { Context } from "../../../cli/context.ts";
import { countBar, heatLine } from "../../../cli/terminal/chart.ts";
import { screenOf } from "../../../cli/terminal/screen.ts";
import type { Screen } from "../../../cli/terminal/style.ts";
import { itemTable, numberColumn, textColumn } from "../../../cli/terminal/tables/item-table.ts";
import { captioned, fullWidthOf, renderMarkdown, renderTable } from "../../../cli/terminal/tables/table.ts";
import { wrap } from "../../../cli/terminal/wrap.ts";
import { groupDigits } from "../../../contract/values/counted.ts";
import { type Counted, type Entry, entryMember } from "../groups.ts";
import { type CoverageOptions, DIMENSIONS, type Grouping } from "../options.ts";
import type { Activity } from "./activity.ts";
import { coverageTable, coverageView, RANGE } from "./coverage-table.ts";

/**
 * The view for people.
 *
 * @param activity drawn below the bars of `--chart`
 * @returns the text, and the headings of the columns that were left out; bars do not count
 */
export function viewOf(
  listed: Counted,
  options: CoverageOptions,
  activity: Activity,
  context: Context,
): ReturnType<typeof renderTable> {
  const { chart, output, folder, groupBy } = options;
  const { entries } = listed;
  const screen = screenOf(context, options);
  const now = context.now();
  if (chart) {
    if (entries.length === 0) {
      return { text: "nothing matches the filters\n", hidden: [] };
    }
    const isFree = folder !== undefined || groupBy === "day";
    const cost = isFree ? "" : `; ${groupDigits(activity.periods.length)} coverage requests`;
    return { text: `${barChart(entries, groupBy, screen)}\n${activityChart(activity, cost, screen)}`, hidden: [] };
  }
  if (output.format !== "table") {
    return { text: renderMarkdown(coverageTable(listed, groupBy, now)), hidden: [] };
  }
  const view = { width: screen.width, byRetailer: options.list.sort === undefined, now };
  const { table, caption } = coverageView(listed, groupBy, view);
  const { text, hidden } = renderTable(table, screen);
  const columns = hidden.filter((heading) => heading !== RANGE && heading !== "");
  return { text: captioned(caption, text, screen), hidden: columns };
}

/** Largest and smallest width of a bar of `--chart`. */
const CHART_BAR = { most: 40, least: 8 } as const;

/** Draws the matching rows of each combination or group as bars. */
function barChart(entries: readonly Entry[], groupBy: Grouping | undefined, screen: Screen): string {
  const names = groupBy === "day" ? ["crawl_date"] : groupBy === undefined ? DIMENSIONS : [groupBy];
  const most = entries.reduce((largest, { matching_rows }) => Math.max(largest, matching_rows), 0);
  const columns = [
    ...names.map((name) =>
      textColumn(name === "crawl_date" ? "day" : name, (entry: Entry) => String(entryMember(entry, name))),
    ),
    numberColumn("rows", (entry: Entry) => entry.matching_rows),
  ];
  const room = (screen.width ?? Number.POSITIVE_INFINITY) - fullWidthOf(itemTable(entries, columns)) - 2;
  const width = Math.min(CHART_BAR.most, Math.max(CHART_BAR.least, room));
  const bar = (entry: Entry) => countBar(entry.matching_rows, most, width);
  return renderTable(itemTable(entries, [...columns, textColumn("", bar, { rigid: true })]), screen).text;
}

/** From this width on a period takes two cells. */
const WIDE = 100;

/**
 * Draws the crawl activity of each retailer, rows a day, as a line of shades over time.
 *
 * @param cost what reading the activity took, for the legend; empty for nothing
 */
function activityChart({ periods, rows }: Activity, cost: string, screen: Screen): string {
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
  const legend = `each mark is ${about}${days} ${unit}: · no rows, ░▒▓█ rows a day against the retailer's own most${cost}`;
  return `${renderTable(table, screen).text}${wrap(legend, screen.width)}\n`;
}
