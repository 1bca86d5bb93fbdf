import type { Command } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addListFlags, type ListOptions, parseListFlags } from "../../cli/flags/list.ts";
import {
  addLinksFlag,
  addListOutput,
  columnsOption,
  hasRowFormat,
  LIST_FORMATS,
  type ListingFlags,
  type ListingOptions,
  parseOutput,
} from "../../cli/flags/output.ts";
import { addReadFlags, parseSource, type ReadFlags, type SourceOptions } from "../../cli/flags/source.ts";
import { sortBy } from "../../cli/order.ts";
import { connect } from "../../cli/source/connection.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { rowTable } from "../../cli/terminal/tables/row-table.ts";
import { renderCaptioned, renderTable } from "../../cli/terminal/tables/table.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { writeRows } from "../../cli/write-rows.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { groupDigits } from "../../contract/values/phrases.ts";
import { memberOf } from "../../export/formats/row-members.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOf } from "../../rows/scan.ts";

interface SampleOptions extends SourceOptions, ListingOptions {
  failOnEmpty: boolean;
}

type SampleFlags = ReadFlags & ListingFlags;

export function declare(command: Command, context: Context, run: Run<SampleOptions> = runSample): void {
  command.description("Shows at most 100 rows of the filtered set, to judge the shape of the data.");
  addFilterFlags(command);
  addLinksFlag(addListOutput(command)).addOption(
    columnsOption("columns to show, in this order: sku,title,selling_price"),
  );
  addReadFlags(command);
  addListFlags(command, "selling_price", PRODUCT_COLUMNS);
  addGlobalFlags(
    command,
    [
      "catalog sample --demo",
      "catalog sample --retailer acme --columns sku,title,selling_price,currency",
      "catalog sample --date yesterday -f csv -o sample.csv",
    ],
    wrap(`Columns: ${PRODUCT_COLUMNS.join(", ")}`, context.stdout.columns || 80),
  ).action((flags: SampleFlags) => run(parseSampleOptions(command, flags, context), context));
}

function parseSampleOptions(command: Command, flags: SampleFlags, context: Context): SampleOptions {
  return {
    ...parseSource(command, flags, context),
    output: parseOutput(flags, LIST_FORMATS, context),
    list: parseListFlags(flags, PRODUCT_COLUMNS),
    columns: flags.columns,
    failOnEmpty: flags.failOnEmpty === true,
  };
}

async function runSample(options: SampleOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { reporter } = connection;
  const { rows: all, meta } = await connection.client.sample(connection.filters);
  if (all.length === 0) {
    await reportEmpty(connection, options);
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
  const table = rowTable(rows, columns ?? BY_INTEREST);
  const screen = screenOf(context, options);
  const rendered = columns === undefined ? renderCaptioned(table, SHARED, screen) : renderTable(table, screen);
  await showTable(rendered, output, list, reporter, context);
  if (rows.length > 0) {
    reporter.note(extent);
  }
}

/** Describes which rows are shown. A sorted sample must not be taken for the first rows of the whole set. */
function describeExtent(sampled: number, shown: number, matching: number, { sort }: ListOptions): string {
  if (sort === undefined || sampled === matching) {
    return `${shown} of ${groupDigits(matching)} matching rows`;
  }
  const first = shown === sampled ? "" : `${shown} shown; `;
  return `${first}sorted ${sampled} sampled rows of ${groupDigits(matching)} matching`;
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
