import type { Command } from "commander";
import { type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type OutputFlags, type OutputOptions, parseOutput } from "../../cli/flags/output.ts";
import type { PullFlags, ReadFlags } from "../../cli/flags/source.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { FileError } from "../../errors.ts";
import type { PartitionColumn } from "../../output/destination/partitions.ts";
import type { Spreadsheet } from "../../output/formats/encoder.ts";
import { formatOfFile, type RowFormat } from "../../output/formats/registry.ts";

export interface ExportFlags extends FilterFlags, OutputFlags, PullFlags, ReadFlags {
  columns?: string[];
  bom?: boolean;
  excel?: boolean;
  /** Columns whose values become folder names below the output. */
  partitionBy?: PartitionColumn[];
  pageSize: number;
  maxRows?: number;
  resume?: boolean;
  fresh?: boolean;
  dryRun?: boolean;
  manifest?: boolean;
}

/** What no check of a pull can show, for the reader of its output. */
export const UNNOTICED =
  "If the service removes a row that was already read and adds another one of the same combination and day, no count changes. The first page of each slice is requested again to notice this. A change behind that page can stay unnoticed.";

export type ExportOptions = ReturnType<typeof parseExportOptions>;

export function parseExportOptions(command: Command, flags: ExportFlags, context: Context) {
  const { dryRun } = flags;
  const isTerminal = context.stdout.isTTY === true && !dryRun;
  const output = parseOutput<RowFormat>(flags, (name) => formatOfFile(name).format, "ndjson", isTerminal);
  if (output.output === undefined && !dryRun && context.isStdoutClosed()) {
    throw new FileError("stdout is closed, so the rows would be lost; use --output FILE", "stdout");
  }
  for (const name of ["resume", "manifest"] as const) {
    if (flags[name] && output.output === undefined) {
      throw flagError(`--${name}`, "needs a file: add --output FILE.");
    }
  }
  if (flags.partitionBy !== undefined) {
    checkPartitionFlags(flags, output);
  }
  return {
    ...flags,
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    output,
    spreadsheet: spreadsheetOf(flags, output.format),
    /** The command line after the program's name. */
    words: command.parent?.args ?? [],
  };
}

function spreadsheetOf({ bom, excel }: ExportFlags, format: RowFormat): Spreadsheet | undefined {
  const wanted = excel ? "excel" : bom ? "bom" : undefined;
  if (wanted !== undefined && format !== "csv" && format !== "tsv") {
    throw flagError(`--${wanted}`, `is for csv and tsv, not for ${format}.`);
  }
  return wanted;
}

function checkPartitionFlags(flags: ExportFlags, { output, noClobber }: OutputOptions<RowFormat>): void {
  if (output === undefined) {
    throw flagError("--partition-by", "writes a folder: add --output DIR.");
  }
  const other = flags.manifest ? "--manifest" : noClobber ? "--no-clobber" : undefined;
  if (other !== undefined) {
    throw flagError(other, "is for an export to one file; it cannot be combined with --partition-by.");
  }
  if (flags.columns?.every((name) => flags.partitionBy?.some((column) => column === name))) {
    throw flagError("--columns", "names only columns of --partition-by, which the folders hold; name one more.");
  }
}
