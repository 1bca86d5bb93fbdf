import { countBar, heatLine } from "../../../cli/terminal/chart.ts";
import type { Screen } from "../../../cli/terminal/style.ts";
import { itemTable, numberColumn, textColumn } from "../../../cli/terminal/tables/item-table.ts";
import { fullWidthOf, renderTable } from "../../../cli/terminal/tables/table.ts";
import { wrap } from "../../../cli/terminal/wrap.ts";
import type { DayRows } from "../counts.ts";
import type { Entry, Listing } from "../groups.ts";
import { type Activity, activityInPeriods } from "./activity.ts";

const PERIODS = 24;

const BAR = { maximum: 40, minimum: 8 } as const;

/** Draws the rows of each entry as bars and, if the days are known, the crawls of each retailer over time as lines. */
export function coverageChart(listing: Listing, days: readonly DayRows[], screen: Screen): string {
  if (listing.entries.length === 0) {
    return "nothing matches the filters\n";
  }
  const activity = days.length === 0 ? "" : `\n${activityLines(activityInPeriods(days, PERIODS), screen)}`;
  return `${entryBars(listing, days.length === 0, screen)}${activity}`;
}

/** @param hasRanges whether to show the first and last day of each entry, because no lines below show them */
function entryBars({ names, entries }: Listing, hasRanges: boolean, screen: Screen): string {
  const largest = entries.reduce((rows, { matching_rows }) => Math.max(rows, matching_rows), 0);
  const counts = [
    ...names.map((name) => column(name === "crawl_date" ? "day" : name, name)),
    numberColumn("rows", (entry: Entry) => entry.matching_rows),
  ];
  const range = hasRanges ? [column("first day", "earliest_date"), column("last day", "latest_date")] : [];
  const room = (screen.width ?? Number.POSITIVE_INFINITY) - fullWidthOf(itemTable(entries, [...counts, ...range])) - 2;
  const width = Math.min(BAR.maximum, Math.max(BAR.minimum, room));
  const bars = textColumn("", (entry: Entry) => countBar(entry.matching_rows, largest, width), { rigid: true });
  return renderTable(itemTable(entries, [...counts, bars, ...range]), screen).text;
}

function column(heading: string, name: keyof Entry) {
  return textColumn(heading, (entry: Entry) => String(entry[name] ?? ""));
}

/** From this width on a period takes two cells. */
const WIDE = 100;

/** Draws the crawl activity of each retailer, rows a day, as a line of shades over time. */
function activityLines({ periods, rows }: Activity, screen: Screen): string {
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
