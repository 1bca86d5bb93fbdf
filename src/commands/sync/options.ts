import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { Filters } from "../../contract/filters.ts";

export interface SyncOptions {
  globals: GlobalOptions;
  folder: string;
  filters: Filters;
  demo: boolean;
  lookback: number;
  verify: boolean;
  adopt: boolean;
  concurrency: number;
  /** Requests a minute. */
  maxRate: number | undefined;
  format: "text" | "json";
}
