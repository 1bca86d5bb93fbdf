import { countBar, heatLine } from "../../../output/terminal/chart.ts";
import type { Screen } from "../../../output/terminal/style.ts";
import { itemTable, numberColumn, textColumn } from "../../../output/terminal/tables/item-table.ts";
import { renderTable } from "../../../output/terminal/tables/table.ts";
import { wrap } from "../../../output/terminal/wrap.ts";
import { DIMENSIONS, type Entry, type Grouping } from "../groups.ts";
import type { Activity } from "./activity.ts";

/** Largest and smallest width of a bar. */
const BAR = { most: 40, least: 8 } as const;

/** Draws the matching rows of each combination or group as bars. */
export function barChart(entries: readonly Entry[], groupBy: Grouping | undefined, screen: Screen): string {
  const names = groupBy === "day" ? ["crawl_date"] : groupBy === undefined ? DIMENSIONS : [groupBy];
  const most = entries.reduce((largest, { matching_rows }) => Math.max(largest, matching_rows), 0);
  const columns = [
    ...names.map((name) =>
      textColumn(name === "crawl_date" ? "day" : name, (entry: Entry) => String(entry[name as keyof Entry])),
    ),
    numberColumn("rows", (entry: Entry) => entry.matching_rows),
  ];
  // The rule below the headings is as wide as the table.
  const taken = renderTable(itemTable(entries, columns)).text.split("\n")[1]?.length ?? 0;
  const room = (screen.width ?? Number.POSITIVE_INFINITY) - taken - 2;
  const width = Math.min(BAR.most, Math.max(BAR.least, room));
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
export function activityChart({ periods, rows }: Activity, cost: string, screen: Screen): string {
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
