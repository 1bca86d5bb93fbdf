import type { SourceOptions } from "../../cli/flags/source.ts";
import type { FolderSyncOptions } from "../../folder/sync/sync-run.ts";

export interface SyncOptions
  extends SourceOptions,
    Pick<
      FolderSyncOptions,
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
