import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { ListOptions } from "../../cli/flags/list.ts";
import { LIST_FORMATS, type OutputOptions } from "../../cli/flags/output.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import type { Grouping } from "./groups.ts";

export const COVERAGE_FORMATS = [...LIST_FORMATS, "markdown"] as const;
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number] | "html";

export interface CoverageOptions {
  globals: GlobalOptions;
  filters: WrittenFilters;
  demo: boolean;
  output: OutputOptions<CoverageFormat>;
  groupBy: Grouping | undefined;
  /** A synced folder to count instead of asking the service. */
  from: string | undefined;
  /** The most coverage requests for the days of `groupBy`. */
  maxRequests: number;
  list: ListOptions;
  /** Coverage requests for the activity over time; undefined for no chart. */
  chartRequests: number | undefined;
  failOnEmpty: boolean;
}
