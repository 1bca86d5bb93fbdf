import { countBar, rangeBar } from "../../../cli/terminal/chart.ts";
import type { Screen } from "../../../cli/terminal/style.ts";
import { textCell } from "../../../cli/terminal/tables/cell.ts";
import { type ItemColumn, itemTable, numberColumn, textColumn } from "../../../cli/terminal/tables/item-table.ts";
import { recordTable } from "../../../cli/terminal/tables/row-table.ts";
import {
  captioned,
  fullWidthOf,
  renderMarkdown,
  renderTable,
  type Table,
  withoutConstants,
} from "../../../cli/terminal/tables/table.ts";
import type { Entry, Listing } from "../groups.ts";

/** Headings of columns that have another name in records. */
const HEADINGS: Readonly<Partial<Record<keyof Entry, string>>> = {
  crawl_date: "day",
  matching_rows: "rows",
  latest_date: "last day",
  days_old: "days old",
  earliest_date: "first day",
  corpus_rows: "corpus rows",
};

/** Columns that move to the caption if all rows have the same value. */
const OF_CAPTION = ["last day", "days old", "first day"];

const NUMBERS = ["retailers", "combinations", "matching_rows", "days_old", "corpus_rows"] as const;

/** Cells of the bar that shows a range of days; the wide one is for terminals of at least `WIDE` cells. */
const RANGE_CELLS = { narrow: 12, wide: 24 } as const;
const WIDE = 120;

/** Widest bar of the rows of a day, so that the table fits 80 cells. */
const DAY_CELLS = 24;

/** Smallest width of a slug; people copy slugs into flags, so they should not be cut. */
const READABLE_SLUG = 16;

type ShownTable = ReturnType<typeof renderTable>;
type CaptionedTable = ReturnType<typeof withoutConstants>;

export function coverageMarkdown(listing: Listing, chosen: readonly string[] | undefined): string {
  const { entries, columns } = listing;
  return renderMarkdown(
    chosen === undefined
      ? labelled(itemTable(entries, columnsOf(listing)), listing)
      : recordTable(entries, columns, chosen),
  );
}

/**
 * The list for a screen, with the chosen columns, or with all columns and bars that draw some of them. Values that all
 * combinations share move to a caption. If the columns do not fit, each retailer becomes a heading above its combinations.
 *
 * @param isByName whether the entries of a retailer are adjacent
 * @returns the text, and the headings of the columns that were left out; bars do not count
 */
export function coverageTable(
  listing: Listing,
  chosen: readonly string[] | undefined,
  isByName: boolean,
  screen: Screen,
): ShownTable {
  if (chosen !== undefined) {
    return renderTable(recordTable(listing.entries, listing.columns, chosen), screen);
  }
  const { table, caption } =
    listing.names[0] === "crawl_date" ? tableOfDays(listing) : tableOfGroups(listing, isByName, screen.width);
  const { text, hidden } = renderTable(labelled(table, listing), screen);
  return { text: captioned(caption, text, screen), hidden: hidden.filter((name) => name !== RANGE && name !== "") };
}

function tableOfDays(listing: Listing): CaptionedTable {
  const largest = listing.entries.reduce((rows, { matching_rows }) => Math.max(rows, matching_rows), 0);
  const bar = ({ matching_rows }: Entry) => countBar(matching_rows, largest, DAY_CELLS);
  const columns = [...columnsOf(listing), textColumn("", bar, { rigid: true, total: "" })];
  return { table: itemTable(listing.entries, columns), caption: "" };
}

function tableOfGroups(listing: Listing, isByName: boolean, width: number | undefined): CaptionedTable {
  const { names, entries, total } = listing;
  const bars = rangeBars(total, (width ?? WIDE) >= WIDE ? RANGE_CELLS.wide : RANGE_CELLS.narrow);
  // What the entries share is not true of the total where --limit leaves others out.
  const isWhole = entries.reduce((rows, { matching_rows }) => rows + matching_rows, 0) === total.matching_rows;
  const isSame = entries.length > 1 && [...entries, total].every((entry) => entry.corpus_rows === entry.matching_rows);
  const columns = columnsOf(listing).filter(({ heading }) => !isSame || heading !== HEADINGS.corpus_rows);
  const ofNames = names.length > 1 ? names : [];
  const full = withoutConstants(itemTable(entries, [...columns, ...bars]), isWhole ? [...ofNames, ...OF_CAPTION] : []);
  const isWide = fullWidthOf(full.table) > (width ?? Number.POSITIVE_INFINITY);
  const hasRetailers = ofNames.length > 0 && full.table.columns[0]?.heading === "retailer";
  return isWide && hasRetailers && isByName ? { ...full, table: retailersAsHeadings(full.table) } : full;
}

function columnsOf({ names: [name, ...more], total }: Listing): ItemColumn<Entry>[] {
  const ranges = ["matching_rows", "latest_date", "days_old", "earliest_date", "corpus_rows"] as const;
  const columns =
    name === "crawl_date"
      ? ([name, "retailers", "combinations", "matching_rows", "days_old"] as const)
      : ([name, ...(more.length > 0 ? more : (["combinations"] as const)), ...ranges] as const);
  return columns.map((column) => columnOf(column, total));
}

function columnOf(name: keyof Entry, total: Entry): ItemColumn<Entry> {
  const heading = HEADINGS[name] ?? name;
  const number = NUMBERS.find((known) => known === name);
  if (number !== undefined) {
    return numberColumn(heading, (entry) => entry[number], total[number] ?? null);
  }
  const width = name.endsWith("_date") ? { rigid: true } : { minimum: READABLE_SLUG };
  const none = name === "brand" ? "no brand" : "";
  return textColumn(heading, (entry) => String(entry[name] || none), { ...width, total: String(total[name] ?? "") });
}

const RANGE = "range";

/** The days of each entry as a range of those of the set; none if nothing matches. */
function rangeBars({ earliest_date: first, latest_date: last }: Entry, cells: number): ItemColumn<Entry>[] {
  if (!first || !last) {
    return [];
  }
  const bar = ({ earliest_date: from, latest_date: to }: Entry) =>
    from && to ? rangeBar(first, last, from, to, cells) : "";
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

function labelled(table: Table, { label }: Listing): Table {
  return { ...table, footer: [textCell(label), ...(table.footer ?? []).slice(1)] };
}
