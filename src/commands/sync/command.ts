import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { declareLog } from "./log-command.ts";
import { addSyncFlags, parseSyncOptions, type SyncOptions } from "./options.ts";

const load: Run<SyncOptions> = async (options, context) =>
  options.dryRun
    ? (await import("./sync-dry-run.ts")).runSyncDryRun(options, context)
    : (await import("./run.ts")).runSync(options, context);

export function declare(command: Command, context: Context, run = load): void {
  declareLog(command.command("log"), context);
  const declared = addSyncFlags(command)
    .description(
      "Keeps a copy of the filtered set in a folder: DIR/crawl_date=YYYY-MM-DD/part-0.parquet, one file a crawl day. " +
        "Days with other counts than before are read again as a whole; the state is in DIR/.catalog. " +
        "DIR remembers the filters of its first run as typed; a run without filters uses them.",
    )
    .argument("<dir>", "folder of the copy; it is created if it does not exist");
  addGlobalFlags(
    declared,
    [
      "catalog sync demo --demo",
      "catalog sync acme --retailer acme --start-date 30d",
      "catalog sync acme --prune",
      `duckdb -c "SELECT retailer, count(*) FROM 'acme/*/*.parquet' GROUP BY ALL"`,
    ],
    `Rows that were added, removed or moved to another day change a count. Sync finds them at once or, if the changes of a
combination cancel out over all days, when it audits one of the days. A row that was replaced by another one of the same
combination and day changes no count; only --lookback finds it. A run that was stopped is finished by the next one, which
asks for no page again.`,
  ).action((folder, flags) => run(parseSyncOptions(command, folder, flags, context), context));
}
