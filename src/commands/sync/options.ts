import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import { type PullFlags, parseSource, type SourceFlags, type SourceOptions } from "../../cli/flags/source.ts";
import { UsageError } from "../../contract/errors.ts";
import type { MirrorOptions } from "../../folder/sync/sync-run.ts";

export interface SyncFlags extends SourceFlags, PullFlags {
  lookback: number;
  verify?: boolean;
  audit: number;
  adopt?: boolean;
  prune?: boolean;
  allowShrink?: boolean;
  dryRun?: boolean;
  format?: "text" | "json";
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

export function parseSyncOptions(command: Command, folder: string, flags: SyncFlags, context: Context): SyncOptions {
  if (folder === "") {
    throw new UsageError("the name of the folder is empty.");
  }
  const { verify = false, adopt = false, prune = false, allowShrink = false, format = "text", dryRun = false } = flags;
  const { concurrency, maxRate, recheck, lookback, audit } = flags;
  const checks = { lookback, audit, verify, adopt, prune, allowShrink };
  return { ...parseSource(command, flags, context), folder, concurrency, maxRate, recheck, ...checks, format, dryRun };
}
