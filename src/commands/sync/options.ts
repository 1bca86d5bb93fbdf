import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { addDemoFlag, addPullFlags, addRecheckFlag, parseSource, type SourceOptions } from "../../cli/flags/source.ts";
import { type FlagsOf, formatOption, wholeNumber } from "../../cli/flags/values.ts";
import { UsageError } from "../../contract/errors.ts";
import type { MirrorOptions } from "../../folder/sync/sync-run.ts";

export function addSyncFlags(command: Command) {
  const own = addFilterFlags(command)
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
      "remove days that left the relative dates of the filters, and retailers that the service no longer shows",
    )
    .option("--allow-shrink", "continue even if more than half of the rows would be removed")
    .option("--dry-run", "show the days, rows, requests and time of the sync, and change nothing")
    .addOption(formatOption(["text", "json"], "text"));
  return addDemoFlag(addRecheckFlag(addPullFlags(own)));
}

export interface SyncOptions
  extends SourceOptions,
    Pick<
      MirrorOptions,
      "concurrency" | "recheck" | "lookback" | "audit" | "verify" | "adopt" | "prune" | "allowShrink"
    > {
  /** A path. */
  folder: string;
  /** Maximum requests a minute. */
  maxRate: number | undefined;
  format: "text" | "json";
  /** Whether only the cost is shown. */
  dryRun: boolean;
}

export function parseSyncOptions(
  command: CommandUnknownOpts,
  folder: string,
  flags: FlagsOf<typeof addSyncFlags>,
  context: Context,
): SyncOptions {
  if (folder === "") {
    throw new UsageError("the name of the folder is empty.");
  }
  const { verify = false, adopt = false, prune = false, allowShrink = false, format = "text", dryRun = false } = flags;
  const { concurrency, maxRate, recheck, lookback, audit } = flags;
  const checks = { lookback, audit, verify, adopt, prune, allowShrink };
  return { ...parseSource(command, flags, context), folder, concurrency, maxRate, recheck, ...checks, format, dryRun };
}
