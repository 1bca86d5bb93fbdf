import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addDemoFlag, addPullFlags, addRecheckFlag, parseSource } from "../../cli/flags/source.ts";
import { formatOption, wholeNumber } from "../../cli/flags/values.ts";
import { declareLog } from "./log-command.ts";
import type { SyncOptions } from "./options.ts";

const load: Run<SyncOptions> = async (...call) => (await import("./run.ts")).runSync(...call);

const NOTE =
  "Rows that were added, removed or moved to another day change a count. Sync finds them at once or, if they leave the total of a combination as it was, when it audits one of the days. A row that was replaced by another one of the same combination and day changes no count; only --lookback finds it. If a run is stopped, the next one finishes it and asks for no page again.";

export function declare(command: Command, context: Context, run = load): void {
  declareLog(command.command("log"), context);
  const named = command
    .description(
      "Keeps a copy of the filtered set in a folder: DIR/crawl_date=YYYY-MM-DD/part-0.parquet, one file a crawl day. " +
        "Days with other counts than before are read again as a whole; the state is in DIR/.catalog. " +
        "DIR remembers the filters of its first run as typed; a run without filters uses them.",
    )
    .argument("<dir>", "folder of the copy; it is created if it does not exist");
  const own = addFilterFlags(named)
    .option(
      "--lookback <n>",
      "newest days of each retailer to read again in any case",
      wholeNumber("--lookback", 0, 36_500),
      2,
    )
    .option(
      "--audit <n>",
      "days to check, one request each, those checked longest ago first",
      wholeNumber("--audit", 0, 36_500),
      12,
    )
    .option("--verify", "compare every day with the service and every file with the state, and repair differences")
    .option("--adopt", "take over day files without a state, if their metadata say that catalog wrote them")
    .option(
      "--prune",
      "remove days that are no longer within the relative dates of the filters, and retailers that the service no longer shows",
    )
    .option("--allow-shrink", "continue even if more than half of the rows would be removed")
    .option("--dry-run", "show the days, rows, requests and time of the sync, and change nothing")
    .addOption(formatOption(["text", "json"], "text"));
  const declared = addDemoFlag(addRecheckFlag(addPullFlags(own)));
  const examples = [
    "catalog sync demo --demo",
    "catalog sync acme --retailer acme --start-date 30d",
    "catalog sync acme --prune",
    `duckdb -c "SELECT retailer, count(*) FROM 'acme/*/*.parquet' GROUP BY ALL"`,
  ];
  addGlobalFlags(declared, examples, NOTE).action((folder, flags) => {
    const {
      verify = false,
      adopt = false,
      prune = false,
      allowShrink = false,
      format = "text",
      dryRun = false,
    } = flags;
    const { concurrency, maxRate, recheck, lookback, audit } = flags;
    const pull = { ...parseSource(command, flags, context), folder, concurrency, maxRate, recheck };
    return run({ ...pull, lookback, audit, verify, adopt, prune, allowShrink, format, dryRun }, context);
  });
}
