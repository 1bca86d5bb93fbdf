import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { ListOptions } from "../../cli/flags/list.ts";
import type { OutputOptions } from "../../cli/flags/output.ts";
import type { DateExpression } from "../../contract/date-expression.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";

export const DIFF_FORMATS = ["table", "csv", "tsv", "json", "ndjson"] as const;
export type DiffFormat = (typeof DIFF_FORMATS)[number];

export interface DiffOptions {
  globals: GlobalOptions;
  /** Without dates. */
  filters: WrittenFilters;
  /** The two crawl days as they were written. */
  from: DateExpression;
  to: DateExpression;
  /** A synced folder, the rows of which are compared instead of a service's. */
  against: string | undefined;
  demo: boolean;
  output: OutputOptions<DiffFormat>;
  pageSize: number;
  concurrency: number;
  /** Requests a minute. */
  maxRate: number | undefined;
  failOnEmpty: boolean;
  list: ListOptions;
}
