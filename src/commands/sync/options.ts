import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";

export interface SyncOptions {
  globals: GlobalOptions;
  folder: string;
  filters: WrittenFilters;
  demo: boolean;
  lookback: number;
  verify: boolean;
  audit: number;
  adopt: boolean;
  prune: boolean;
  allowShrink: boolean;
  concurrency: number;
  /** Requests a minute. */
  maxRate: number | undefined;
  format: "text" | "json";
}
