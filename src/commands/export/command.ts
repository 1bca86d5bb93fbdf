import type { Command } from "commander";
import { addFilterFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { addGlobalFlags, parseGlobals } from "../../cli/flags/global.ts";
import { addOutputFlags, type OutputFlags, type OutputOptions, parseOutput } from "../../cli/flags/output.ts";
import { addPullFlags, addReadFlags, type PullFlags, parsePullFlags, type ReadFlags } from "../../cli/flags/pull.ts";
import { parseSize, parseWhole } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../contract/limits.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { FileError, UsageError } from "../../errors.ts";
import { parsePartitionColumns } from "../../output/destination/partitions.ts";
import { parseColumns } from "../../output/formats/columns.ts";
import type { Spreadsheet } from "../../output/formats/encoder.ts";
import { formatOfFile, ROW_FORMATS, type RowFormat } from "../../output/formats/registry.ts";
import { wrap } from "../../output/terminal/wrap.ts";
import type { ExportOptions } from "./options.ts";

interface Flags extends FilterFlags, OutputFlags, PullFlags, ReadFlags {
  columns?: string;
  bom?: boolean;
  excel?: boolean;
  partitionBy?: string;
  pageSize?: string;
  maxRows?: string;
  resume?: boolean;
  fresh?: boolean;
  spoolLimit?: string;
  dryRun?: boolean;
  manifest?: boolean;
}

export function declare(command: Command, context: Context): void {
  command.description(
    "Writes the complete filtered set to stdout or a file, and checks the number of its rows against the service.",
  );
  addFilterFlags(command);
  addOutputFlags(command, ROW_FORMATS, "from the file's ending, else ndjson")
    .option("--columns <names>", "columns to write, in this order: sku,title,selling_price")
    .option("--partition-by <names>", "write a file for each value, in Hive folders below -o DIR: retailer,crawl_date")
    .option("--bom", "begin CSV with a byte order mark, so that spreadsheets read it as UTF-8")
    .option("--excel", "as --bom, and protect text: no formula runs, and 0062355309 keeps its zeros")
    .option("--page-size <n>", "rows of one request, 1 to 500 (default: 500)")
    .option("--max-rows <n>", "stop after this many rows")
    .option("--resume", "continue an interrupted export to the same file; without one, start the export")
    .option("--fresh", "start anew, even if an interrupted export left a partial file; overrides --resume")
    .option("--spool-limit <size>", "disk space for pages that wait to be written, such as 500MiB (default: 4GiB)")
    .option("--manifest", "also write FILE.manifest.json: filters, counts, sha256, requests; see `catalog verify`")
    .option("--dry-run", "show the rows, requests and time of the export, and export nothing");
  addPullFlags(command);
  addReadFlags(command);
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
${wrap(`Columns: ${PRODUCT_COLUMNS.join(", ")}`, context.stdout.columns || 80)}

Examples:
  $ catalog export --demo | head -3
  $ catalog export --retailer acme --date yesterday -o acme.csv
  $ catalog export --start-date 30d --columns sku,crawl_date,selling_price -o prices.csv.gz
  $ catalog export --retailer acme -o acme.xlsx
  $ catalog export --start-date 30d --partition-by retailer,crawl_date -f parquet -o month
  $ catalog export -o rows.ndjson.gz --manifest --resume`,
    )
    .action((flags: Flags) => runAsAsked(parseOptions(command, flags, context), context));
}

async function runAsAsked(options: ExportOptions, context: Context): Promise<void> {
  if (options.dryRun) {
    return (await import("./dry-run.ts")).runDryRun(options, context);
  }
  return options.partitionBy === undefined
    ? (await import("./run.ts")).runExport(options, context)
    : (await import("./partitioned.ts")).runPartitionedExport(options, context);
}

function parseOptions(command: Command, flags: Flags, context: Context): ExportOptions {
  const isTerminal = context.stdout.isTTY === true && !flags.dryRun;
  const output = parseOutput<RowFormat>(flags, (name) => formatOfFile(name).format, "ndjson", isTerminal);
  if (output.output === undefined && !flags.dryRun && context.isStdoutClosed()) {
    throw new FileError("stdout is closed, so the rows would be lost; use --output FILE", "stdout");
  }
  for (const name of ["resume", "manifest"] as const) {
    if (flags[name] && output.output === undefined) {
      throw new UsageError(`--${name} needs a file: add --output FILE.`, { flag: `--${name}` });
    }
  }
  const partitionBy = flags.partitionBy === undefined ? undefined : parsePartitionColumns(flags.partitionBy);
  if (partitionBy !== undefined) {
    checkPartitionFlags(flags, output);
  }
  const { minimum, maximum } = LIMITS.pageSize;
  return {
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    demo: flags.demo ?? false,
    output,
    columns: flags.columns === undefined ? undefined : parseColumns(flags.columns, PRODUCT_COLUMNS),
    spreadsheet: spreadsheetOf(flags, output.format),
    partitionBy,
    pageSize: parseWhole(flags.pageSize ?? String(maximum), "--page-size", minimum, maximum),
    ...parsePullFlags(flags),
    maxRows: flags.maxRows === undefined ? undefined : parseWhole(flags.maxRows, "--max-rows", 1),
    failOnEmpty: flags.failOnEmpty ?? false,
    ...continuation(flags),
    dryRun: flags.dryRun ?? false,
    manifest: flags.manifest ?? false,
  };
}

function continuation({ resume = false, fresh = false, spoolLimit = "4GiB" }: Flags) {
  return { resume: resume && !fresh, spoolLimit: parseSize(spoolLimit, "--spool-limit") };
}

function spreadsheetOf({ bom, excel }: Flags, format: RowFormat): Spreadsheet | undefined {
  const asked = excel ? "excel" : bom ? "bom" : undefined;
  if (asked !== undefined && format !== "csv" && format !== "tsv") {
    throw new UsageError(`--${asked} is for csv and tsv, not for ${format}.`, { flag: `--${asked}` });
  }
  return asked;
}

function checkPartitionFlags(flags: Flags, { output }: OutputOptions<RowFormat>): void {
  if (output === undefined) {
    throw new UsageError("--partition-by writes a folder: add --output DIR.", { flag: "--partition-by" });
  }
  const other = (["resume", "manifest"] as const).find((name) => flags[name]);
  if (other !== undefined || flags.clobber === false) {
    throw new UsageError(
      `--${other ?? "no-clobber"} is for an export to one file; it cannot be combined with --partition-by.`,
      { flag: `--${other ?? "no-clobber"}` },
    );
  }
}
