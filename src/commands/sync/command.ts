import type { Command } from "commander";
import { addFilterFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { addGlobalFlags, parseGlobals } from "../../cli/flags/global.ts";
import { addDemoFlag, addPullFlags, type PullFlags, parsePullFlags, type ReadFlags } from "../../cli/flags/pull.ts";
import { formatOption, parseWhole } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { SyncOptions } from "./options.ts";

interface Flags extends FilterFlags, PullFlags, ReadFlags {
  lookback?: string;
  verify?: boolean;
  audit?: string;
  adopt?: boolean;
  prune?: boolean;
  allowShrink?: boolean;
  format?: "text" | "json";
}

export function declare(
  command: Command,
  context: Context,
  run: (options: SyncOptions, context: Context) => Promise<void> = async (options) =>
    (await import("./run.ts")).runSync(options, context),
): void {
  command
    .description(
      "Keeps a folder a copy of the filtered set: DIR/crawl_date=YYYY-MM-DD/part-0.parquet, one file a crawl day. " +
        "The days that differ are found by counts of coverage and replaced whole; what they are is kept in DIR/.catalog. " +
        "DIR remembers the filters it was first given, as they were written; without filters a run goes on with those.",
    )
    .argument("<dir>", "folder of the copy; it is created where there is none");
  addFilterFlags(command)
    .option("--lookback <n>", "newest days that are read again whatever their counts (default: 2)")
    .option(
      "--audit <n>",
      "days that are compared one by one, those that were longest ago; a request each (default: 12)",
    )
    .option("--verify", "compare every day with the service and every file with what was written, and repair")
    .option("--adopt", "take over day files without a state, where their metadata say that catalog wrote them")
    .option("--prune", "remove days that relative dates have left behind")
    .option("--allow-shrink", "go on where more than half of the rows would be removed")
    .addOption(formatOption(["text", "json"], "text"));
  addPullFlags(command);
  addDemoFlag(command);
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Rows that came, went or moved to another day change a count and are found: at once, or, where the changes of a combination
cancel out over all days, when one of the days is audited. A row that was exchanged for another one of the same
combination and day changes no count; --lookback alone finds it.

Examples:
  $ catalog sync rows --demo
  $ catalog sync rows --retailer acme --start-date 30d
  $ catalog sync rows --prune
  $ duckdb -c "SELECT retailer, count(*) FROM 'rows/*/*.parquet' GROUP BY ALL"`,
    )
    .action((folder: string, flags: Flags) => run(parseOptions(command, folder, flags, context), context));
}

function parseOptions(command: Command, folder: string, flags: Flags, context: Context): SyncOptions {
  if (folder === "") {
    throw new UsageError("the folder's name is empty.");
  }
  return {
    globals: parseGlobals(command),
    folder,
    filters: parseFilters(flags, context.now()),
    demo: flags.demo ?? false,
    lookback: parseWhole(flags.lookback ?? "2", "--lookback", 0, 36_500),
    verify: flags.verify ?? false,
    audit: parseWhole(flags.audit ?? "12", "--audit", 0, 36_500),
    adopt: flags.adopt ?? false,
    prune: flags.prune ?? false,
    allowShrink: flags.allowShrink ?? false,
    ...parsePullFlags(flags),
    format: flags.format ?? "text",
  };
}
