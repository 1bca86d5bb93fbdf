import type { Command } from "commander";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type OutputFlags, parseRowsOutput } from "../../cli/flags/output.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { ROW_FORMATS } from "../../output/formats/registry.ts";

/** What `--format` takes. */
export const SQL_FORMATS = ["table", ...ROW_FORMATS] as const;

/** The word that shows the tables instead of running a query. */
export const SCHEMA = ".schema";

export interface SqlFlags extends OutputFlags {
  /** Bytes that DuckDB may use. */
  memory?: number;
  pager: boolean;
  demo?: boolean;
}

export type SqlOptions = ReturnType<typeof parseSqlOptions>;

/** @param query `-` for standard input; undefined for a shell */
export function parseSqlOptions(
  command: Command,
  query: string | undefined,
  folder: string | undefined,
  flags: SqlFlags,
  context: Context,
) {
  const output = parseRowsOutput(flags, context);
  if (query?.trim() === "") {
    throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  return { ...flags, outputFlags: flags, query, folder, filters: {}, globals: parseGlobals(command), output };
}
