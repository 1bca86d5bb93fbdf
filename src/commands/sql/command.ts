import type { Command } from "commander";
import { refuseFolderOfDemo } from "../../cli/flags/folder.ts";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import { addListOutput, type OutputFlags, parseOutput } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/pull.ts";
import { parseSize } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { formatOfFile, ROW_FORMATS } from "../../output/formats/registry.ts";
import { SCHEMA, type SqlFormat, type SqlOptions } from "./options.ts";

interface Flags extends OutputFlags {
  memory?: string;
  pager?: boolean;
  demo?: boolean;
}

export function declare(command: Command, context: Context): void {
  command
    .argument("<query>", `one query; - reads it from standard input, ${SCHEMA} shows the tables`)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "Runs one query over a synced folder, by DuckDB. The tables are rows, days and combinations. The folder is " +
        "read-only, and a query reaches no other file and no network.",
    );
  addDemoFlag(addListOutput(command, ["table", ...ROW_FORMATS]))
    .option("--memory <size>", "memory that DuckDB may use; the rest goes to disk (default: 512MiB)")
    .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]");
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
    .action(async (query: string, folder: string | undefined, flags: Flags) => {
      const options = parseOptions(command, query, folder, flags, context);
      const { runSql } = await import("./run.ts");
      await runSql(options, context);
    });
}

function parseOptions(
  command: Command,
  query: string,
  folder: string | undefined,
  flags: Flags,
  context: Context,
): SqlOptions {
  const isTerminal = context.stdout.isTTY === true;
  const formatOfName = (name: string) => formatOfFile(name).format;
  const output = parseOutput<SqlFormat>(flags, formatOfName, isTerminal ? "table" : "ndjson", isTerminal);
  if (query.trim() === "") {
    throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  refuseFolderOfDemo(folder, flags.demo);
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
