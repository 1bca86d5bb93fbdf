import type { Command } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { addFilterFlags, addSkusFlag } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addLinksFlag, addOutputFlags, columnsOption } from "../../cli/flags/output.ts";
import { addPullFlags, addReadFlags, addRecheckFlag } from "../../cli/flags/source.ts";
import { NamesOption, wholeNumber } from "../../cli/flags/values.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { LIMITS } from "../../contract/limits.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { PARTITION_COLUMNS, parsePartitionColumns } from "../../export/destination/partitions.ts";
import { ROW_FORMATS } from "../../export/formats/registry.ts";
import { type ExportFlags, type ExportOptions, OWN_ROW_COLUMNS, parseExportOptions, UNNOTICED } from "./options.ts";

const load: Run<ExportOptions> = async (options, context) => {
  if (options.dryRun) {
    return (await import("./dry-run.ts")).runDryRun(options, context);
  }
  return options.partitionBy === undefined
    ? (await import("./run.ts")).runExport(options, context)
    : (await import("./partitioned.ts")).runPartitionedExport(options, context);
};

export function declare(command: Command, context: Context, run = load): void {
  const { minimum, maximum } = LIMITS.pageSize;
  command.description(
    "Writes the complete filtered set to stdout or a file, and checks the number of rows against the service.",
  );
  addSkusFlag(addFilterFlags(command), "only the rows of a list of products");
  addLinksFlag(addOutputFlags(command, ROW_FORMATS, "from the file's ending, else ndjson"))
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
    .option("--page-size <n>", "rows per request, 1 to 500", wholeNumber("--page-size", minimum, maximum), maximum)
    .option("--max-rows <n>", "stop after this many rows", wholeNumber("--max-rows", 1))
    .option("--resume", "continue an interrupted export to the same path, in any format; without one, start the export")
    .option("--fresh", "start over, discarding what an interrupted export has read; overrides --resume")
    .option(
      "--manifest",
      "also write FILE.manifest.json, or DIR.manifest.json: filters, counts, sha256, requests; see `catalog verify`",
    )
    .option("--dry-run", "show the rows, requests, time and disk space of the export, and export nothing");
  addRecheckFlag(addPullFlags(command));
  addReadFlags(command);
  addGlobalFlags(
    command,
    [
      "catalog export --demo | head -3",
      "catalog export --retailer acme --date yesterday -o acme.csv",
      "catalog export --start-date 30d --columns sku,crawl_date,selling_price -o prices.csv.gz",
      "catalog export --retailer acme -o acme.xlsx --links",
      "catalog export --skus watch.csv --date yesterday -f csv",
      "catalog export --start-date 30d --partition-by retailer,crawl_date -f parquet -o month",
      "catalog export -o rows.ndjson.gz --manifest --resume",
    ],
    [`Columns: ${PRODUCT_COLUMNS.join(", ")}`, UNNOTICED]
      .map((text) => wrap(text, context.stdout.columns || 80))
      .join("\n\n"),
  ).action((flags: ExportFlags) => run(parseExportOptions(command, flags, context), context));
}
