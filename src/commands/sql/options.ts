import type { Command } from "commander";
import { parseGlobals } from "../../cli/flags/global.ts";
import { type OutputFlags, parseOutput } from "../../cli/flags/output.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { formatOfFile, type RowFormat } from "../../output/formats/registry.ts";

/** The word that shows the tables instead of running a query. */
export const SCHEMA = ".schema";

export interface SqlFlags extends OutputFlags {
  /** Bytes that DuckDB may use. */
  memory?: number;
  pager: boolean;
  demo?: boolean;
}

export type SqlOptions = ReturnType<typeof parseSqlOptions>;

/** @param query `-` for standard input */
export function parseSqlOptions(
  command: Command,
  query: string,
  folder: string | undefined,
  flags: SqlFlags,
  { stdout }: Context,
) {
  const isTerminal = stdout.isTTY === true;
  const formatOfName = (name: string) => formatOfFile(name).format;
  const output = parseOutput<"table" | RowFormat>(flags, formatOfName, isTerminal ? "table" : "ndjson", isTerminal);
  if (query.trim() === "") {
    throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  const { memory = 512 * 1024 ** 2 } = flags;
  return { ...flags, memory, query, folder, filters: {}, globals: parseGlobals(command), output };
}
