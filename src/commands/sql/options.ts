import type { Command } from "commander";
import { type OutputFlags, type OutputOptions, parseRowsOutput } from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource } from "../../cli/flags/source.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { ROW_FORMATS } from "../../output/formats/registry.ts";

/** What `--format` takes. */
export const SQL_FORMATS = ["table", ...ROW_FORMATS] as const;
type SqlFormat = (typeof SQL_FORMATS)[number];

/** The word that shows the tables instead of running a query. */
export const SCHEMA = ".schema";

export interface SqlFlags extends OutputFlags {
  /** Bytes that DuckDB may use. */
  memory?: number;
  pager: boolean;
  demo?: boolean;
}

/** Flags of the output that the shell changes. The file is undefined for the terminal. */
export type OutputChange = { format?: string; output?: string | undefined };

/** What `catalog sql` runs. */
export interface SqlOptions extends FolderOptions {
  /** SQL, or `-` for standard input; undefined for a shell. */
  query: string | undefined;
  /** Bytes that DuckDB may use; undefined for the default. */
  memory: number | undefined;
  pager: boolean;
  output: OutputOptions<SqlFormat>;
  /** The output after commands of the shell have changed its format or its file. */
  outputAfter: (change: OutputChange) => Promise<OutputOptions<SqlFormat>>;
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
    output: parseRowsOutput(flags, context),
    outputAfter: async (change) => {
      const changed = { ...flags, ...change };
      if (changed.output !== undefined) {
        const { refuseEnding } = await import("../../cli/errors/output-ending.ts");
        refuseEnding(changed.output, changed, SQL_FORMATS);
      }
      return parseRowsOutput(changed, context);
    },
  };
}
