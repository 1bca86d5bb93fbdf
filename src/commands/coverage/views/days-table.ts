import { counted } from "../../../contract/values/decimal.ts";
import { countBar } from "../../../output/terminal/chart.ts";
import { itemTable, numberColumn, textColumn } from "../../../output/terminal/tables/item-table.ts";
import type { Table } from "../../../output/terminal/tables/table.ts";
import { ageOf, type CountedDays, type DayGroup, retailersOf } from "../groups.ts";

/** Widest bar, so that the table fits 80 cells. */
const BAR = 24;

/**
 * The table of the listed days; the totals are those of all days.
 *
 * @param now milliseconds since the epoch
 * @param withBars whether the last column draws the rows of each day as a bar
 */
export function daysTable(
  { entries, days: all, isComplete, response }: CountedDays,
  now: number,
  withBars: boolean,
): Table {
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
    numberColumn("days old", (entry) => entry.days_old, ageOf(newest, now)),
    ...(withBars ? [textColumn("", bar, { rigid: true, total: "" })] : []),
  ]);
}
