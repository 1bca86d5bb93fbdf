import type { Command } from "commander";
import { type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import type { PullFlags } from "../../cli/flags/source.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";

export interface SyncFlags extends FilterFlags, PullFlags {
  lookback: number;
  verify?: boolean;
  audit: number;
  adopt?: boolean;
  prune?: boolean;
  allowShrink?: boolean;
  format?: "text" | "json";
  demo?: boolean;
}

export type SyncOptions = ReturnType<typeof parseSyncOptions>;

export function parseSyncOptions(command: Command, folder: string, flags: SyncFlags, context: Context) {
  if (folder === "") {
    throw new UsageError("the name of the folder is empty.");
  }
  const { verify = false, adopt = false, prune = false, allowShrink = false } = flags;
  return {
    ...{ ...flags, folder, verify, adopt, prune, allowShrink },
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
  };
}
