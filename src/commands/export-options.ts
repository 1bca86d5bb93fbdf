import type { Filters } from "../contract/filters.ts";
import type { Spreadsheet } from "../output/encoder.ts";
import type { RowFormat } from "../output/formats.ts";
import type { PartitionColumn } from "../output/partitions.ts";
import type { GlobalOptions } from "./global-flags.ts";
import type { OutputOptions } from "./output-flags.ts";

export interface ExportOptions {
  globals: GlobalOptions;
  filters: Filters;
  demo: boolean;
  output: OutputOptions<RowFormat>;
  columns: readonly string[] | undefined;
  spreadsheet: Spreadsheet | undefined;
  /** Columns whose values name folders below `output.output`. */
  partitionBy: readonly PartitionColumn[] | undefined;
  pageSize: number;
  concurrency: number;
  maxRows: number | undefined;
  /** Requests a minute. */
  maxRate: number | undefined;
  failOnEmpty: boolean;
  resume: boolean;
  dryRun: boolean;
  manifest: boolean;
}
