import { countBar, heatLine } from "../../../output/terminal/chart.ts";
import type { Screen } from "../../../output/terminal/style.ts";
import { numberCell, textCell } from "../../../output/terminal/tables/cell.ts";
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
  const cellsOf = entries.map((entry) => [
    ...names.map((name) => textCell(String(entry[name as keyof Entry]))),
    numberCell(entry.matching_rows),
  ]);
  const columns = [
    ...names.map((name) => ({ heading: name === "crawl_date" ? "day" : name })),
    { heading: "rows", rigid: true },
  ];
  // The rule below the headings is as wide as the table.
  const taken = renderTable({ columns, rows: cellsOf }).text.split("\n")[1]?.length ?? 0;
  const room = (screen.width ?? Number.POSITIVE_INFINITY) - taken - 2;
  const width = Math.min(BAR.most, Math.max(BAR.least, room));
  return renderTable(
    {
      columns: [...columns, { heading: "", rigid: true }],
      rows: cellsOf.map((cells, index) => [
        ...cells,
        textCell(countBar(entries[index]?.matching_rows ?? 0, most, width)),
      ]),
    },
    screen,
  ).text;
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
  const retailers = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const { text } = renderTable(
    {
      columns: [{ heading: "retailer" }, { heading: `${first.start} to ${last.end}`, rigid: true }],
      rows: retailers.map(([retailer, counts]) => [
        textCell(retailer),
        textCell(
          heatLine(
            counts.map((count, index) => count / (periods[index]?.days ?? 1)),
            cells,
          ),
        ),
      ]),
    },
    screen,
  );
  const days = Math.round(periods.reduce((sum, period) => sum + period.days, 0) / periods.length);
  const about = periods.every((period) => period.days === days) ? "" : "about ";
  const unit = days === 1 ? "day" : "days";
  const legend = `each mark is ${about}${days} ${unit}: · no rows, ░▒▓█ rows a day against the retailer's own most${cost}`;
  return `${text}${wrap(legend, screen.width)}\n`;
}
