import type { Condition } from "../../cli/flags/condition.ts";
import type { OutputOptions, PageOptions } from "../../cli/flags/output.ts";
import type { PriceOptions } from "../../cli/question/question.ts";
import type { Figure } from "./figures.ts";

export const REPORT_FORMATS = ["text", "json"] as const;

export interface ReportOptions extends PriceOptions {
  page: PageOptions | undefined;
  /** What is written beside the page, or without one. */
  output: OutputOptions<(typeof REPORT_FORMATS)[number]>;
  urls: boolean;
  /** Maximum number of products and brands of a list that people read. */
  limit: number;
  /** Days without a row after which a retailer is stale. */
  staleAfter: number;
  conditions: readonly Condition<Figure>[];
}
