import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addListFlags, type ListOptions } from "../../cli/flags/list.ts";
import {
  addLinksFlag,
  addListOutput,
  columnsOption,
  hasRowFormat,
  type ListingOptions,
  parseListing,
  TABLE_FORMATS,
} from "../../cli/flags/output.ts";
import { addReadFlags, parseSource, type SourceOptions } from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import { sortBy } from "../../cli/order.ts";
import { connect } from "../../cli/source/connection.ts";
import { newestDay, reportNoRows } from "../../cli/source/empty-result.ts";
import { showText } from "../../cli/terminal/pager.ts";
import { hiddenColumnsNotes, screenOf } from "../../cli/terminal/screen.ts";
import { linked, type Screen, style } from "../../cli/terminal/style.ts";
import { type Cell, textCell } from "../../cli/terminal/tables/cell.ts";
import { rowCell, rowTable } from "../../cli/terminal/tables/row-table.ts";
import { renderCaptioned, renderTable } from "../../cli/terminal/tables/table.ts";
import { padEnd, widthOf } from "../../cli/terminal/width.ts";
import { writeRows } from "../../cli/write-rows.ts";
import { UsageError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import { memberOf } from "../../export/formats/row-members.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOf } from "../../rows/scan.ts";

/** How people see the sample: a table cut to the terminal, a table of full width, or a card for each row. */
type SampleView = "table" | "wide" | "card";

interface SampleOptions extends SourceOptions, ListingOptions {
  view: SampleView;
  failOnEmpty: boolean;
}

export function declare(command: Command, context: Context, run: Run<SampleOptions> = runSample): void {
  command.description("Shows at most 100 rows of the filtered set, to judge the shape of the data.");
  const own = addLinksFlag(addListOutput(addFilterFlags(command)))
    .addOption(columnsOption("columns to show, in this order: sku,title,selling_price"))
    .option("--wide", "a table of all columns in full width; `| less -S` scrolls it")
    .option("--card", "a card for each row, with one line per column");
  const declared = addListFlags(addReadFlags(own), "selling_price", PRODUCT_COLUMNS);
  const examples = [
    "catalog sample --demo",
    "catalog sample --retailer acme --columns sku,title,selling_price,currency",
    "catalog sample --retailer acme --card | less",
    "catalog sample --date yesterday -f csv -o sample.csv",
  ];
  const columns = `Columns: ${PRODUCT_COLUMNS.join(", ")}`;
  addGlobalFlags(declared, examples, columns).action((flags) => {
    const { wide, card, failOnEmpty = false } = flags;
    if (wide && card) {
      throw new UsageError("--wide and --card are two views of the same rows; use one.", { flag: "--card" });
    }
    const view = wide ? "wide" : card ? "card" : "table";
    const isForPeople = view !== "table" || context.stdout.isTTY === true;
    const listing = parseListing(flags, TABLE_FORMATS, context, PRODUCT_COLUMNS, {}, isForPeople);
    const { format } = listing.output;
    if (view !== "table" && format !== "table") {
      throw flagError(`--${view}`, `is a view for people; it cannot be combined with ${format}.`);
    }
    return run({ ...parseSource(command, flags, context), ...listing, view, failOnEmpty }, context);
  });
}

async function runSample(options: SampleOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { reporter } = connection;
  const { rows: all, meta } = await connection.client.sample(connection.filters);
  if (all.length === 0) {
    reportNoRows(await newestDay(connection), options.failOnEmpty, reporter);
  }
  const { output, columns, list } = options;
  const rows = rowsInOrder(all, list);
  const extent = describeExtent(all.length, rows.length, meta.coverage.matching_rows, list);
  if (hasRowFormat(output)) {
    await writeRows([rows], output, { known: PRODUCT_COLUMNS, chosen: columns }, reporter, context);
    if (list.sort !== undefined && rows.length > 0) {
      reporter.note(extent);
    }
    return;
  }
  const { text, hidden } = renderRows(rows, options, context);
  // An empty line, because the count below would look like a part of the last card.
  const isOnScreen = output.output === undefined && context.stdout.isTTY === true;
  await showText(isOnScreen && options.view === "card" ? `${text}\n` : text, output, list, context);
  if (rows.length > 0) {
    reporter.note([extent, ...hiddenColumnsNotes(hidden, "--wide shows all, --columns chooses")].join("; "));
  }
}

/** Describes which rows are shown. A sorted sample must not be taken for the first rows of the whole set. */
function describeExtent(sampled: number, shown: number, matching: number, { sort }: ListOptions): string {
  if (sort === undefined || sampled === matching) {
    return `${shown} of ${plural(matching, "matching row")}`;
  }
  const first = shown === sampled ? "" : `${shown} shown; `;
  return `${first}sorted ${plural(sampled, "sampled row")} of ${groupDigits(matching)} matching`;
}

function rowsInOrder(rows: RowBatch, { sort, limit }: ListOptions): RowBatch {
  if (sort === undefined) {
    return rows.slice(0, limit);
  }
  const order = sortBy([...rows.texts().keys()], sort, (row, column) => JSON.parse(memberOf(rows, row, column)));
  return batchOf(order.map((row) => rows.text(row))).slice(0, limit);
}

/** The most interesting columns; a narrow terminal shows as many as fit. */
const FIRST = [
  "retailer",
  "title",
  "sku",
  "selling_price",
  "currency",
  "crawl_date",
  "category",
  "discount_pct",
  "mrp",
  "brand",
];

const BY_INTEREST = [...FIRST, ...PRODUCT_COLUMNS.filter((column) => !FIRST.includes(column))];

/** Columns that move to a caption if all rows have the same value. */
const SHARED: readonly string[] = [
  "retailer",
  "department",
  "category",
  "brand",
  "currency",
  "crawl_date",
  "discount_pct",
];

function renderRows(
  rows: RowBatch,
  options: SampleOptions,
  context: Context,
): { text: string; hidden: readonly string[] } {
  const { columns, view } = options;
  const { width, ...looks } = screenOf(context, options);
  const screen = { width: view === "wide" ? undefined : width, ...looks };
  if (view === "card") {
    return { text: renderCards(rows, columns ?? PRODUCT_COLUMNS, screen), hidden: [] };
  }
  const table = rowTable(rows, columns ?? BY_INTEREST);
  const isComplete = view === "wide" || columns !== undefined;
  return isComplete ? renderTable(table, screen) : renderCaptioned(table, SHARED, screen);
}

/** Renders each row as a card: its title, and a line for each of some columns. */
function renderCards(rows: RowBatch, columns: readonly string[], { colour, links }: Screen): string {
  const width = Math.max(...columns.map(widthOf));
  const shown = ({ text, link }: Cell) => (links ? linked(text, link) : text);
  const cards = Array.from({ length: rows.length }, (_, row) => {
    const title = style("bold", `${row + 1}. ${shown(rowCell(rows, row, "title"))}`, colour);
    const members = columns.map((name) =>
      `  ${style("dim", padEnd(name, width), colour)}  ${shown(memberCell(rows, row, name))}`.trimEnd(),
    );
    return `${[title, ...members].join("\n")}\n`;
  });
  return cards.join("\n");
}

/** Null and the empty string are shown as JSON, so that they can be told apart. */
function memberCell(rows: RowBatch, row: number, column: string): Cell {
  const raw = memberOf(rows, row, column);
  return raw === "null" || raw === '""' ? { ...textCell(raw), style: "dim" } : rowCell(rows, row, column);
}
