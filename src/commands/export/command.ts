import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { addExportFlags, DETECTION_LIMITS, type ExportOptions, parseExportOptions } from "./options.ts";

const load: Run<ExportOptions> = async (options, context) => {
  if (options.dryRun) {
    return (await import("./dry-run.ts")).runDryRun(options, context);
  }
  return options.partitionBy === undefined
    ? (await import("./run.ts")).runExport(options, context)
    : (await import("./partitioned.ts")).runPartitionedExport(options, context);
};

export function declare(command: Command, context: Context, run = load): void {
  const declared = addExportFlags(command).description(
    "Writes the complete filtered set to stdout or a file, and checks the number of rows against the service.",
  );
  addGlobalFlags(
    declared,
    [
      "catalog export --demo | head -3",
      "catalog export --retailer acme --date yesterday -o acme.csv",
      "catalog export --start-date 30d --columns sku,crawl_date,selling_price -o prices.csv.gz",
      "catalog export --retailer acme -o acme.xlsx --links",
      "catalog export --skus watch.csv --date yesterday -f csv",
      "catalog export --start-date 30d --partition-by retailer,crawl_date -f parquet -o month",
      "catalog export -o rows.ndjson.gz --manifest --resume",
    ],
    `Columns: ${PRODUCT_COLUMNS.join(", ")}\n\n${DETECTION_LIMITS}`,
  ).action((flags) => run(parseExportOptions(command, flags, context), context));
}
