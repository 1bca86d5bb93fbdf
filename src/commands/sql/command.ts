import type { Command } from "commander";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addLinksFlag, addListOutput } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { size } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { ROW_FORMATS } from "../../output/formats/registry.ts";
import { parseSqlOptions, SCHEMA, type SqlFlags } from "./options.ts";

export function declare(command: Command, context: Context): void {
  command
    .argument("<query>", `one query; - reads it from standard input, ${SCHEMA} shows the tables`)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "Runs one query over a synced folder, by DuckDB. The tables are rows, days and combinations. The folder is " +
        "read-only, and a query reaches no other file and no network.",
    );
  addDemoFlag(addLinksFlag(addListOutput(command, ["table", ...ROW_FORMATS])))
    .option("--memory <size>", "memory that DuckDB may use; the rest goes to disk (default: 512MiB)", size("--memory"))
    .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]");
  addReportingFlags(command, [
    `catalog sql ${SCHEMA} rows`,
    "catalog sql 'select retailer, count(*) as n from rows group by all order by n desc' rows",
    "catalog sql 'from rows where selling_price < 10 limit 5' rows -f csv",
    "catalog sql - rows -o cheapest.parquet < cheapest.sql",
  ]).action(async (query: string, folder: string | undefined, flags: SqlFlags) => {
    const options = parseSqlOptions(command, query, folder, flags, context);
    const { runSql } = await import("./run.ts");
    await runSql(options, context);
  });
}
