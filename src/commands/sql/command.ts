import type { Command } from "commander";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import { addOutputFlags, type OutputFlags, parseOutput, refuseBinaryOnTerminal } from "../../cli/flags/output.ts";
import { parseSize, quoted } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { formatOfFile, ROW_FORMATS } from "../../output/formats/registry.ts";
import { SCHEMA, type SqlFormat, type SqlOptions } from "./options.ts";

interface Flags extends OutputFlags {
  memory?: string;
  pager?: boolean;
  demo?: boolean;
}

export function declare(
  command: Command,
  context: Context,
  run: (options: SqlOptions, context: Context) => Promise<void> = async (options) =>
    (await import("./run.ts")).runSql(options, context),
): void {
  command
    .argument("<query>", `one query; - reads it from standard input, ${SCHEMA} shows the tables`)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "Runs one query over a synced folder, by DuckDB. The tables are rows, days and combinations. The folder is " +
        "read-only, and a query reaches no other file and no network.",
    );
  addOutputFlags(command, ["table", ...ROW_FORMATS], "table in a terminal, else ndjson")
    .option("--memory <size>", "memory that DuckDB may use; what does not fit goes to disk (default: 512MiB)")
    .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]")
    .option("--demo", "run on a generated data set, without key or configuration");
  addReportingFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog sql ${SCHEMA} rows
  $ catalog sql 'select retailer, count(*) as n from rows group by all order by n desc' rows
  $ catalog sql 'from rows where selling_price < 10 limit 5' rows -f csv
  $ catalog sql - rows -o cheapest.parquet < cheapest.sql`,
    )
    .action((query: string, folder: string | undefined, flags: Flags) =>
      run(parseOptions(command, query, folder, flags, context), context),
    );
}

function parseOptions(
  command: Command,
  query: string,
  folder: string | undefined,
  flags: Flags,
  context: Context,
): SqlOptions {
  const isTerminal = context.stdout.isTTY === true;
  const output = parseOutput<SqlFormat>(flags, (name) => formatOfFile(name).format, isTerminal ? "table" : "ndjson");
  refuseBinaryOnTerminal(output, isTerminal);
  if (query.trim() === "") {
    throw new UsageError("The query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  if (folder !== undefined && flags.demo) {
    throw new UsageError(`--demo takes generated rows; leave ${quoted(folder)} out.`, { flag: "--demo" });
  }
  return {
    globals: parseGlobals(command),
    folder,
    demo: flags.demo ?? false,
    filters: {},
    query,
    memory: parseSize(flags.memory ?? "512MiB", "--memory"),
    pager: flags.pager ?? true,
    output,
  };
}
