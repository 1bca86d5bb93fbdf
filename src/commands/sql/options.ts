import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import {
  type OutputFlags,
  type OutputOptions,
  parseOutput,
  TABLE_FORMATS,
  type TableFormat,
} from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import { UsageError } from "../../contract/errors.ts";

/** The word that shows the tables instead of running a query. */
export const SCHEMA = ".schema";

export interface SqlFlags extends Pick<SourceFlags, "demo">, OutputFlags {
  memory?: number;
  pager: boolean;
}

export interface SqlOptions extends FolderOptions {
  /** SQL, or `-` for standard input; undefined to show what can be asked. */
  query: string | undefined;
  /** Bytes that DuckDB may use; undefined for the default. */
  memory: number | undefined;
  pager: boolean;
  output: OutputOptions<TableFormat>;
}

export function parseSqlOptions(
  command: Command,
  query: string | undefined,
  folder: string | undefined,
  flags: SqlFlags,
  context: Context,
): SqlOptions {
  if (query?.trim() === "") {
    throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  return {
    ...parseFolderSource(command, folder, flags, context),
    query,
    memory: flags.memory,
    pager: flags.pager,
    output: parseOutput(flags, TABLE_FORMATS, context),
  };
}
