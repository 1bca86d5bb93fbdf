import type { Condition } from "../../cli/flags/condition.ts";
import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { ListOptions } from "../../cli/flags/list.ts";
import type { ListFormat, OutputOptions } from "../../cli/flags/output.ts";
import type { DateExpression } from "../../contract/values/date-expression.ts";
import type { Change } from "../../diff/join.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";

/** Fields of a difference that `--fail-if` may use. */
export const DIFF_FIELDS = [
  "percent",
  "from_selling_price",
  "to_selling_price",
  "from_discount_pct",
  "to_discount_pct",
] as const;
export type DiffField = (typeof DIFF_FIELDS)[number];

export interface DiffOptions {
  globals: GlobalOptions;
  /** Without dates. */
  filters: WrittenFilters;
  /** The two crawl days as the user wrote them. */
  from: DateExpression;
  to: DateExpression;
  /** A synced folder to compare instead of the service. */
  against: string | undefined;
  /** Whether last known prices are compared instead of the days themselves; undefined to decide by the two days. */
  asOf: boolean | undefined;
  /** Days after which a price is no longer known; undefined for never. */
  maxAge: number | undefined;
  /** The kinds of differences that are written; undefined for the usual ones of the format. */
  only: readonly Change[] | undefined;
  failIf: Condition<DiffField> | undefined;
  demo: boolean;
  output: OutputOptions<ListFormat>;
  pageSize: number;
  concurrency: number;
  /** Requests a minute. */
  maxRate: number | undefined;
  failOnEmpty: boolean;
  list: ListOptions;
}
