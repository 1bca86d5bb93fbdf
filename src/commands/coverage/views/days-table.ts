import { groupDigits } from "../../../contract/values/decimal.ts";
import { countBar } from "../../../output/terminal/chart.ts";
import { numberCell, textCell } from "../../../output/terminal/tables/cell.ts";
import type { Table } from "../../../output/terminal/tables/table.ts";
import type { DayCounts } from "../day-counts.ts";
import { ageOf, type DayGroup, retailersOf } from "../groups.ts";

/** Widest bar, so that the table fits 80 cells. */
const BAR = 24;

/** The table of `daysTable`, with the rows of each day as a bar. */
export function daysView(entries: readonly DayGroup[], all: DayCounts, now: number): Table {
  const { columns, rows, footer = [] } = daysTable(entries, all, now);
  const most = entries.reduce((largest, { matching_rows }) => Math.max(largest, matching_rows), 0);
  const bars = entries.map(({ matching_rows }) => textCell(countBar(matching_rows, most, BAR)));
  return {
    columns: [...columns, { heading: "", rigid: true }],
    rows: rows.map((cells, index) => [...cells, bars[index] ?? textCell("")]),
    footer: [...footer, textCell("")],
  };
}

/**
 * The table of some days.
 *
 * @param all every day; the totals are theirs
 * @param now milliseconds since the epoch
 */
export function daysTable(entries: readonly DayGroup[], all: DayCounts, now: number): Table {
  const counts = [...all.values()].flatMap((day) => [...day]);
  const rcds = new Set(counts.map(([rcd]) => rcd));
  const newest = [...all.keys()].sort().at(-1) ?? null;
  const headings = ["retailers", "combinations", "rows", "days old"];
  return {
    columns: [{ heading: "day", rigid: true }, ...headings.map((heading) => ({ heading, rigid: true }))],
    rows: entries.map(({ crawl_date, retailers, combinations, matching_rows, days_old }) => [
      textCell(crawl_date),
      ...[retailers, combinations, matching_rows, days_old].map(numberCell),
    ]),
    footer: [
      textCell(`${groupDigits(all.size)} day${all.size === 1 ? "" : "s"}`),
      numberCell(retailersOf(rcds).size),
      numberCell(rcds.size),
      numberCell(counts.reduce((sum, [, rows]) => sum + rows, 0)),
      numberCell(ageOf(newest, now)),
    ],
  };
}
