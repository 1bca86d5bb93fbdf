import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { addFilterFlags, addSkusFlag } from "../../cli/flags/filter.ts";
import {
  addLinksFlag,
  addOutputFlags,
  chosenColumns,
  columnsOption,
  type OutputOptions,
  parseOutput,
} from "../../cli/flags/output.ts";
import { addPullFlags, addReadFlags, addRecheckFlag, parseSource, type SourceOptions } from "../../cli/flags/source.ts";
import { type FlagsOf, flagError, NamesOption, wholeNumber } from "../../cli/flags/values.ts";
import { OWN_LIST_COLUMNS } from "../../cli/question/question.ts";
import { checkOwnListColumns } from "../../cli/question/question-flags.ts";
import { FileError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { PARTITION_COLUMNS, type PartitionColumn, parsePartitionColumns } from "../../export/destination/partitions.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import type { Spreadsheet } from "../../export/formats/encoder.ts";
import { ROW_FORMATS, type RowFormat } from "../../export/formats/registry.ts";
import type { StoreOptions } from "../../pull/store/open-store.ts";

/** The columns of an export with `--skus`: those of rows, then those of the list. */
export const OWN_ROW_COLUMNS: readonly string[] = [...PRODUCT_COLUMNS, ...OWN_LIST_COLUMNS.map(({ name }) => name)];

export function addExportFlags(command: Command) {
  const { minimum, maximum } = LIMITS.pageSize;
  const filtered = addSkusFlag(addFilterFlags(command), "only the rows of a list of products");
  const own = addLinksFlag(addOutputFlags(filtered, ROW_FORMATS, "from the file's ending, else ndjson"))
    .addOption(columnsOption("columns to write, in the given order, e.g. sku,title,selling_price", OWN_ROW_COLUMNS))
    .addOption(
      new NamesOption(
        "--partition-by <names>",
        "write one file per value into Hive folders under -o DIR; the files omit these columns: retailer,crawl_date",
        PARTITION_COLUMNS,
      ).argParser(parsePartitionColumns),
    )
    .option("--bom", "begin CSV with a byte order mark, so that spreadsheets read UTF-8")
    .option("--excel", "like --bom, and protect texts: no formula runs, and 0062355309 keeps its zeros")
    .option(
      "--page-size <n>",
      `rows per request, ${minimum} to ${maximum}`,
      wholeNumber("--page-size", minimum, maximum),
      maximum,
    )
    .option("--max-rows <n>", "stop after this many rows", wholeNumber("--max-rows", 1))
    .option(
      "--resume",
      "continue an interrupted export to the same path, which may have had another format; if there is none, start one",
    )
    .option("--fresh", "start over, discarding what an interrupted export has read; overrides --resume")
    .option(
      "--manifest",
      "also write FILE.manifest.json, or DIR.manifest.json: filters, counts, sha256, requests; see `catalog verify`",
    )
    .option("--dry-run", "show the rows, requests, time and disk space of the export, and export nothing");
  return addReadFlags(addRecheckFlag(addPullFlags(own)));
}

type ExportFlags = FlagsOf<typeof addExportFlags>;

/** The limits of change detection, for help and manifest. */
export const DETECTION_LIMITS =
  "If the service replaces rows during an export without changing any count, only pages that are read a second time reveal it. A replacement of all rows is always noticed. In tests with 120 pages, no run missed that a third of the rows was replaced, 4 % missed that a single day was, and 38 % that two rows were (with --recheck 10, 0 % and 35 %). This does not concern services that report the version of their data.";

export interface ExportOptions extends SourceOptions {
  output: OutputOptions<RowFormat>;
  /** The file of `--skus`, or `-` for standard input. */
  ownList: string | undefined;
  /** The chosen columns in their order; undefined for all. */
  columns: readonly string[] | undefined;
  spreadsheet: Spreadsheet | undefined;
  /** Columns whose values become folder names below the output; undefined for a single output. */
  partitionBy: readonly PartitionColumn[] | undefined;
  manifest: boolean;
  /** Rows of one request. */
  pageSize: number;
  maxRows: number | undefined;
  concurrency: number;
  /** Maximum requests a minute. */
  maxRate: number | undefined;
  /** Percentage of the pages to read a second time; undefined for the default. */
  recheck: number | undefined;
  /** What to do with pages of an interrupted export: use them, discard them, or fail rather than discard them. */
  storeMode: StoreOptions["mode"];
  /** Whether to show only the cost. */
  dryRun: boolean;
  failOnEmpty: boolean;
}

export function parseExportOptions(command: CommandUnknownOpts, flags: ExportFlags, context: Context): ExportOptions {
  const { dryRun = false, manifest = false, failOnEmpty = false } = flags;
  checkOwnListColumns(command, flags);
  const columns = chosenColumns(flags.columns, flags.skus === undefined ? PRODUCT_COLUMNS : OWN_ROW_COLUMNS);
  // A dry run writes no rows to the terminal.
  const output = parseOutput(flags, ROW_FORMATS, dryRun ? { stdout: {} } : context);
  if (output.output === undefined && !dryRun && context.isStdoutClosed()) {
    throw new FileError("stdout is closed, so the rows would be lost; use --output FILE", "stdout");
  }
  for (const name of ["resume", "manifest"] as const) {
    if (flags[name] && isStdout(output.output)) {
      throw flagError(`--${name}`, "needs a file: add --output FILE.");
    }
  }
  if (flags.partitionBy !== undefined) {
    checkPartitionFlags(flags.partitionBy, columns, output);
  }
  checkSkusFlags(flags);
  return {
    ...parseSource(command, flags, context),
    output,
    ownList: flags.skus,
    columns,
    spreadsheet: spreadsheetOf(flags, output.format),
    partitionBy: flags.partitionBy,
    manifest,
    pageSize: flags.pageSize,
    maxRows: flags.maxRows,
    concurrency: flags.concurrency,
    maxRate: flags.maxRate,
    recheck: flags.recheck,
    storeMode: storeModeOf(flags),
    dryRun,
    failOnEmpty,
  };
}

/** @throws UsageError for flags that do not go with a list */
function checkSkusFlags({ skus, manifest, maxRows, partitionBy }: ExportFlags): void {
  if (skus === undefined) {
    return;
  }
  const others = { "--manifest": manifest, "--max-rows": maxRows, "--partition-by": partitionBy };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (other !== undefined) {
    throw flagError("--skus", `leaves out rows, so it cannot be combined with ${other}; leave out one of the two.`);
  }
}

function storeModeOf({ fresh, resume }: ExportFlags): ExportOptions["storeMode"] {
  return fresh ? "fresh" : resume ? "resume" : "careful";
}

function spreadsheetOf({ bom, excel }: ExportFlags, format: RowFormat): Spreadsheet | undefined {
  const spreadsheet = excel ? "excel" : bom ? "bom" : undefined;
  if (spreadsheet !== undefined && format !== "csv" && format !== "tsv") {
    throw flagError(`--${spreadsheet}`, `is for csv and tsv, not for ${format}.`);
  }
  return spreadsheet;
}

function checkPartitionFlags(
  partitionBy: readonly PartitionColumn[],
  columns: readonly string[] | undefined,
  { output, noClobber }: OutputOptions<RowFormat>,
): void {
  if (output === undefined) {
    throw flagError("--partition-by", "writes a folder: add --output DIR.");
  }
  if (noClobber) {
    throw flagError("--no-clobber", "is for an export to one file; it cannot be combined with --partition-by.");
  }
  if (columns?.every((name) => partitionBy.some((column) => column === name))) {
    throw flagError("--columns", "names only columns of --partition-by, which are not in the files; name one more.");
  }
}
