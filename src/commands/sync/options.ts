import type { Command } from "commander";
import { type PullFlags, parseSource, type SourceFlags } from "../../cli/flags/source.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";

export interface SyncFlags extends SourceFlags, PullFlags {
  lookback: number;
  verify?: boolean;
  audit: number;
  adopt?: boolean;
  prune?: boolean;
  allowShrink?: boolean;
  format?: "text" | "json";
}

/** What `catalog sync` keeps, and how it checks it. */
export type SyncOptions = ReturnType<typeof parseSyncOptions>;

export function parseSyncOptions(command: Command, folder: string, flags: SyncFlags, context: Context) {
  if (folder === "") {
    throw new UsageError("the name of the folder is empty.");
  }
  const { verify = false, adopt = false, prune = false, allowShrink = false, format = "text" } = flags;
  const { concurrency, maxRate, lookback, audit } = flags;
  const checks = { lookback, audit, verify, adopt, prune, allowShrink };
  return { ...parseSource(command, flags, context), folder, concurrency, maxRate, ...checks, format };
}
