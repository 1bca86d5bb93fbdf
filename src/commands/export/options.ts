import type { GlobalOptions } from "../../cli/flags/global.ts";
import type { OutputOptions } from "../../cli/flags/output.ts";
import type { PartitionColumn } from "../../output/destination/partitions.ts";
import type { Spreadsheet } from "../../output/formats/encoder.ts";
import type { RowFormat } from "../../output/formats/registry.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";

export interface ExportOptions {
  globals: GlobalOptions;
  filters: WrittenFilters;
  demo: boolean;
  output: OutputOptions<RowFormat>;
  columns: readonly string[] | undefined;
  spreadsheet: Spreadsheet | undefined;
  /** Columns whose values become folder names below `output.output`. */
  partitionBy: readonly PartitionColumn[] | undefined;
  pageSize: number;
  concurrency: number;
  maxRows: number | undefined;
  /** Requests a minute. */
  maxRate: number | undefined;
  failOnEmpty: boolean;
  resume: boolean;
  /** Most bytes of waiting pages on disk. */
  spoolLimit: number;
  dryRun: boolean;
  manifest: boolean;
}
