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
  /** Columns whose values name folders below `output.output`. */
  partitionBy: readonly PartitionColumn[] | undefined;
  pageSize: number;
  concurrency: number;
  maxRows: number | undefined;
  /** Requests a minute. */
  maxRate: number | undefined;
  failOnEmpty: boolean;
  resume: boolean;
  /** Bytes of pages that may wait on disk for their turn. */
  spoolLimit: number;
  dryRun: boolean;
  manifest: boolean;
}
