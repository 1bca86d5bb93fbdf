import type { Coverage, CoverageSummary } from "../../contract/coverage.ts";
import { type Cell, numberCell, textCell } from "../../output/terminal/cell.ts";
import { rangeBar } from "../../output/terminal/chart.ts";
import type { Table } from "../../output/terminal/table.ts";
import { type CoverageGroup, DIMENSIONS, type Dimension } from "./groups.ts";

/** Cells of a bar: as many as stay readable beside the other columns. */
const BAR_WIDTH = { narrow: 12, wide: 24 } as const;

/** Width from which the bars are drawn wide. */
const WIDE = 120;

/** The heading of the bars, which draw what the columns of days say. */
export const RANGE = "range";

/** Cells of a slug that is not cut: people copy it into a flag. */
const READABLE_SLUG = 16;

/** The table of a coverage; its totals are those of the service (`meta.coverage`). */
export function coverageTable(
  entries: readonly (Coverage | CoverageGroup)[],
  groupBy: Dimension | undefined,
  summary: CoverageSummary,
  { bars, width }: { bars: boolean; width: number | undefined },
): Table {
  const names: readonly Dimension[] = groupBy === undefined ? DIMENSIONS : [groupBy];
  const { earliest_date: first, latest_date: last } = summary;
  const barWidth = (width ?? WIDE) >= WIDE ? BAR_WIDTH.wide : BAR_WIDTH.narrow;
  const hasBars = bars && first !== null && last !== null;
  const bar = (from: string, to: string): Cell[] =>
    hasBars ? [textCell(rangeBar(first, last, from, to, barWidth))] : [];
  return {
    columns: [
      ...names.map((heading) => ({ heading, minimum: READABLE_SLUG })),
      ...(groupBy === undefined ? [] : [{ heading: "combinations", rigid: true }]),
      ...["rows", "first day", "last day", "corpus rows"].map((heading) => ({ heading, rigid: true })),
      ...(hasBars ? [{ heading: RANGE, rigid: true }] : []),
    ],
    rows: entries.map((entry) => [
      ...names.map((name) => textCell(entry[name] ?? "")),
      ...("combinations" in entry ? [numberCell(entry.combinations)] : []),
      numberCell(entry.matching_rows),
      textCell(entry.earliest_date),
      textCell(entry.latest_date),
      numberCell(entry.corpus_rows),
      ...bar(entry.earliest_date, entry.latest_date),
    ]),
    footer: [
      ...(groupBy === undefined
        ? [textCell(`total of ${numberCell(summary.combinations).text}`), textCell(""), textCell("")]
        : [textCell("total"), numberCell(summary.combinations)]),
      numberCell(summary.matching_rows),
      textCell(first ?? ""),
      textCell(last ?? ""),
      numberCell(summary.corpus_rows),
      ...(hasBars ? bar(first, last) : []),
    ],
  };
}
