import { countBar, rangeBar } from "../../../cli/terminal/chart.ts";
import { textCell } from "../../../cli/terminal/tables/cell.ts";
import { type ItemColumn, itemTable, numberColumn, textColumn } from "../../../cli/terminal/tables/item-table.ts";
import { fullWidthOf, type Table, withoutConstants } from "../../../cli/terminal/tables/table.ts";
import { groupDigits, plural } from "../../../contract/values/phrases.ts";
import { DIMENSIONS, GROUPINGS, type Grouping } from "../columns.ts";
import { type Counted, daysOld, type Entry, entryMember, numberOfRetailers } from "../groups.ts";

/** Headings of columns that have another name in records. */
const HEADINGS = {
  crawl_date: "day",
  matching_rows: "rows",
  latest_date: "last day",
  days_old: "days old",
  earliest_date: "first day",
  corpus_rows: "corpus rows",
} as const;

/** Columns that a caption may have instead, if all rows share their value. */
const OF_CAPTION = [HEADINGS.latest_date, HEADINGS.days_old, HEADINGS.earliest_date];

/** Width of the bar of a range of days next to the other columns, and from which width of a terminal on it is wide. */
const RANGE_CELLS = { narrow: 12, wide: 24 } as const;
const WIDE = 120;

/** Widest bar of the rows of a day, so that the table fits 80 cells. */
const DAY_CELLS = 24;

/** Smallest width of a slug; people copy slugs into flags, so they should not be cut. */
const READABLE_SLUG = 16;

/**
 * The table of a list with all its columns; the totals are those of the service (`meta.coverage`), also of what the list
 * leaves out.
 *
 * @param now milliseconds since the epoch
 */
export function coverageTable(listed: Counted, groupBy: Grouping | undefined, now: number): Table {
  return labelled(itemTable(listed.entries, columnsOf(listed, groupBy, now)), listed, groupBy);
}

/**
 * The table for a screen, with bars, which only draw what other columns say. Values that all combinations share move to the
 * caption. If the columns do not fit, each retailer becomes a heading above its combinations.
 *
 * @param width of the terminal; undefined without a terminal
 * @param byRetailer whether the entries of a retailer are adjacent
 */
export function coverageView(
  listed: Counted,
  groupBy: Grouping | undefined,
  { width, byRetailer, now }: { width: number | undefined; byRetailer: boolean; now: number },
): { table: Table; caption: string } {
  const { entries } = listed;
  const columns = columnsOf(listed, groupBy, now);
  if (groupBy === "day") {
    return { table: labelled(itemTable(entries, [...columns, dayBars(entries)]), listed, groupBy), caption: "" };
  }
  const isSame =
    entries.length > 1 && entries.every((entry) => entryMember(entry, "corpus_rows") === entry.matching_rows);
  const shown = columns.filter(({ heading }) => !isSame || heading !== HEADINGS.corpus_rows);
  const full = withoutConstants(itemTable(entries, [...shown, ...rangeBars(listed, width)]), [
    ...(groupBy === undefined ? DIMENSIONS : []),
    ...OF_CAPTION,
  ]);
  const isWide = fullWidthOf(full.table) > (width ?? Number.POSITIVE_INFINITY);
  const hasRetailers = full.table.columns[0]?.heading === "retailer" && groupBy === undefined;
  const table = isWide && hasRetailers && byRetailer ? retailersAsHeadings(full.table) : full.table;
  return { table: labelled(table, listed, groupBy), caption: full.caption };
}

/** The columns in the order of the table. */
function columnsOf(listed: Counted, groupBy: Grouping | undefined, now: number): ItemColumn<Entry>[] {
  const { data, meta } = listed.response;
  const { latest_date } = meta.coverage;
  const rcds = data.flatMap(({ rcd, matching_rows }) => (matching_rows > 0 ? rcd : []));
  const ofDays = { retailers: numberOfRetailers(rcds), combinations: rcds.length };
  const totals: Readonly<Record<string, string | number | null>> = {
    ...meta.coverage,
    ...(groupBy === "day" && ofDays),
    days_old: daysOld(latest_date, now),
  };
  const names =
    groupBy === "day"
      ? ["crawl_date", "retailers", "combinations", "matching_rows", "days_old"]
      : [
          ...(groupBy === undefined ? DIMENSIONS : [groupBy, "combinations"]),
          ...["matching_rows", "latest_date", "days_old", "earliest_date", "corpus_rows"],
        ];
  return names.map((name) => columnOf(name, totals[name] ?? null));
}

function columnOf(name: string, total: string | number | null): ItemColumn<Entry> {
  const heading = (HEADINGS as Readonly<Record<string, string>>)[name] ?? name;
  const isSlug = GROUPINGS.some((grouping) => grouping === name);
  if (!isSlug && !name.endsWith("_date")) {
    return numberColumn(heading, (entry) => entryMember(entry, name) as number | null, total as number | null);
  }
  const width = isSlug ? { minimum: READABLE_SLUG } : { rigid: true };
  return textColumn(heading, (entry) => String(entryMember(entry, name) ?? ""), {
    ...width,
    total: String(total ?? ""),
  });
}

function dayBars(entries: readonly Entry[]): ItemColumn<Entry> {
  const most = entries.reduce((largest, { matching_rows }) => Math.max(largest, matching_rows), 0);
  return textColumn("", ({ matching_rows }) => countBar(matching_rows, most, DAY_CELLS), { rigid: true, total: "" });
}

/** The heading of the bars that draw ranges of days. */
export const RANGE = "range";

/** The days of each entry as a range of those of the set; none if nothing matches. */
function rangeBars({ response }: Counted, width: number | undefined): ItemColumn<Entry>[] {
  const { earliest_date: first, latest_date: last } = response.meta.coverage;
  if (first === null || last === null) {
    return [];
  }
  const cells = (width ?? WIDE) >= WIDE ? RANGE_CELLS.wide : RANGE_CELLS.narrow;
  const bar = (entry: Entry) => {
    const [from, to] = [entryMember(entry, "earliest_date"), entryMember(entry, "latest_date")];
    return from === null || to === null ? "" : rangeBar(first, last, String(from), String(to), cells);
  };
  return [textColumn(RANGE, bar, { rigid: true, total: rangeBar(first, last, first, last, cells) })];
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
function labelled(table: Table, { response, days }: Counted, groupBy: Grouping | undefined): Table {
  const { combinations } = response.meta.coverage;
  const ofDays = groupBy === "day" && days !== undefined ? plural(days.size, "day") : "total";
  const label = groupBy === undefined ? `total of ${groupDigits(combinations)}` : ofDays;
  return { ...table, footer: [textCell(label), ...(table.footer ?? []).slice(1)] };
}
