import type { CoverageSummary } from "../../../contract/coverage.ts";
import { rangeBar } from "../../../output/terminal/chart.ts";
import { groupDigits } from "../../../output/terminal/counted.ts";
import { textCell } from "../../../output/terminal/tables/cell.ts";
import { type ItemColumn, itemTable, numberColumn, textColumn } from "../../../output/terminal/tables/item-table.ts";
import { fullWidthOf, type Table, withoutConstants } from "../../../output/terminal/tables/table.ts";
import { type CountedCombinations, daysOld, type ListedCombination } from "../groups.ts";
import { DIMENSIONS, type Summing } from "../options.ts";

/** Width of a bar next to the other columns. */
const BAR_WIDTH = { narrow: 12, wide: 24 } as const;

/** From this width on the bars are wide. */
const WIDE = 120;

/** The heading of the bars, which draw the columns of days. */
export const RANGE = "range";

/** Smallest width of a slug; people copy slugs into flags, so they should not be cut. */
const READABLE_SLUG = 16;

interface CombinationView {
  /** Width of the terminal; undefined without a terminal. */
  width: number | undefined;
  /** Whether the entries of a retailer are adjacent. */
  byRetailer: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The table of a coverage with all its columns; its totals are those of the service (`meta.coverage`). */
export function coverageTable({ entries, groupBy, response }: CountedCombinations, now: number): Table {
  const summary = response.meta.coverage;
  return labelled(itemTable(entries, combinationColumns(groupBy, summary, now)), groupBy, summary);
}

/**
 * The table of a coverage for a screen, with bars for the days. Values that all rows share move to the caption. If the
 * columns do not fit, each retailer becomes a heading above its combinations.
 */
export function coverageView(
  { entries, groupBy, response }: CountedCombinations,
  view: CombinationView,
): { table: Table; caption: string } {
  const summary = response.meta.coverage;
  const isSame = entries.length > 1 && entries.every((entry) => entry.corpus_rows === entry.matching_rows);
  const columns = [...combinationColumns(groupBy, summary, view.now), ...barsOf(summary, view)].filter(
    ({ heading }) => !isSame || heading !== CORPUS,
  );
  const full = withoutConstants(itemTable(entries, columns), [...(groupBy === undefined ? DIMENSIONS : []), ...DAYS]);
  const isWide = fullWidthOf(full.table) > (view.width ?? Number.POSITIVE_INFINITY);
  const hasRetailers = full.table.columns[0]?.heading === "retailer" && groupBy === undefined;
  const table = isWide && hasRetailers && view.byRetailer ? retailersAsHeadings(full.table) : full.table;
  return { table: labelled(table, groupBy, summary), caption: full.caption };
}

const CORPUS = "corpus rows";
const DAYS = ["last day", "days old", "first day"] as const;

function combinationColumns(
  groupBy: Summing | undefined,
  { combinations, corpus_rows, matching_rows, earliest_date: first, latest_date: last }: CoverageSummary,
  now: number,
): ItemColumn<ListedCombination>[] {
  const names: readonly Summing[] = groupBy === undefined ? DIMENSIONS : [groupBy];
  const nameOf = (entry: ListedCombination & { brand?: string }, name: Summing) => entry[name] ?? "";
  const combinationsOf = (entry: ListedCombination) => ("combinations" in entry ? entry.combinations : 1);
  return [
    ...names.map((name) =>
      textColumn<ListedCombination>(name, (entry) => nameOf(entry, name), { minimum: READABLE_SLUG, total: "" }),
    ),
    ...(groupBy === undefined ? [] : [numberColumn("combinations", combinationsOf, combinations)]),
    numberColumn("rows", (entry) => entry.matching_rows, matching_rows),
    textColumn(DAYS[0], (entry) => entry.latest_date ?? "", { rigid: true, total: last ?? "" }),
    numberColumn(DAYS[1], (entry) => entry.days_old, daysOld(last, now)),
    textColumn(DAYS[2], (entry) => entry.earliest_date ?? "", { rigid: true, total: first ?? "" }),
    numberColumn(CORPUS, (entry) => entry.corpus_rows, corpus_rows),
  ];
}

function barsOf(
  { earliest_date: first, latest_date: last }: CoverageSummary,
  { width }: CombinationView,
): ItemColumn<ListedCombination>[] {
  if (first === null || last === null) {
    return [];
  }
  const cells = (width ?? WIDE) >= WIDE ? BAR_WIDTH.wide : BAR_WIDTH.narrow;
  const bar = ({ earliest_date: from, latest_date: to }: Pick<CoverageSummary, "earliest_date" | "latest_date">) =>
    from === null || to === null ? "" : rangeBar(first, last, from, to, cells);
  const total = bar({ earliest_date: first, latest_date: last });
  return [textColumn(RANGE, bar, { rigid: true, total })];
}

/** Turns the first column, the retailer, into headings above its rows, and indents the next column. */
function retailersAsHeadings({ columns, rows, footer = [] }: Table): Table {
  const retailers = rows.map(([retailer]) => retailer?.text ?? "");
  const begins = retailers.flatMap((retailer, index) => (retailer === retailers[index - 1] ? [] : index));
  const [name, ...others] = columns.slice(1);
  return {
    columns: [{ ...name, heading: `  ${name?.heading}` }, ...others],
    groups: new Map(begins.map((index) => [index, retailers[index] ?? ""])),
    rows: rows.map(([, first, ...rest]) => [textCell(`  ${first?.text}`), ...rest]),
    footer: footer.slice(1),
  };
}

/** Names the totals in their first cell. */
function labelled(table: Table, groupBy: Summing | undefined, { combinations }: CoverageSummary): Table {
  const label = groupBy === undefined ? `total of ${groupDigits(combinations)}` : "total";
  return { ...table, footer: [textCell(label), ...(table.footer ?? []).slice(1)] };
}
