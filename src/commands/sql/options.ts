import type { Command } from "commander";
import { type OutputFlags, parseOutput, TABLE_FORMATS } from "../../cli/flags/output.ts";
import { parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";

/** The word that shows the tables instead of running a query. */
export const SCHEMA = ".schema";

export interface SqlFlags extends Pick<SourceFlags, "demo">, OutputFlags {
  /** Bytes that DuckDB may use. */
  memory?: number;
  pager: boolean;
}

/** Flags of the output that the shell changes. The file is undefined for the terminal. */
export type OutputChange = { format?: string; output?: string | undefined };

/** What `catalog sql` runs. */
export type SqlOptions = ReturnType<typeof parseSqlOptions>;

export function parseSqlOptions(
  command: Command,
  query: string | undefined,
  folder: string | undefined,
  flags: SqlFlags,
  context: Context,
) {
  if (query?.trim() === "") {
    throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  return {
    ...parseFolderSource(command, folder, flags, context),
    /** SQL, or `-` for standard input; undefined for a shell. */
    query,
    /** Bytes that DuckDB may use; undefined for the default. */
    memory: flags.memory,
    pager: flags.pager,
    output: parseOutput(flags, TABLE_FORMATS, context),
    /** The output after commands of the shell have changed its format or its file. */
    outputAfter: async (change: OutputChange) => {
      const changed = { ...flags, ...change };
      if (changed.output !== undefined) {
        const { refuseEnding } = await import("../../cli/errors/output-ending.ts");
        refuseEnding(changed.output, changed, TABLE_FORMATS);
      }
      return parseOutput(changed, TABLE_FORMATS, context);
    },
  };
}
