import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addLinksFlag, addListOutput, parseOutput, TABLE_FORMATS } from "../../cli/flags/output.ts";
import { addDemoFlag, parseFolderSource } from "../../cli/flags/source.ts";
import { collectValues, size, valueError } from "../../cli/flags/values.ts";
import { refuseTilde } from "../../config/expanded-path.ts";
import { UsageError } from "../../contract/errors.ts";
import type { NamedFile } from "../../folder/sql/user-table.ts";
import type { SqlOptions } from "./options.ts";

const TABLES = `Tables:
  rows          every row as it was crawled
  latest        the last known price of each product: its newest row in prices_daily
  prices_daily  the cheapest row of each product and day, as in \`history\`, without suspect prices
  changes       each change of a product's price or currency from one day of prices_daily to the next
  days          each day: rows, retailers, combinations
  combinations  each retailer, category and department: rows, products, first and last day

A product is a retailer and a sku. rows, latest and prices_daily have the columns of the contract: crawl_date is a DATE; mrp, selling_price and discount_pct are DOUBLE; the others are VARCHAR. changes has crawl_date and previous_date (DATE); retailer, department, category, sku, brand, title, currency and previous_currency (VARCHAR); selling_price, previous_price, change and percent (DOUBLE). change and percent are NULL between two currencies, and percent is NULL after a price of 0.`;

const load: Run<SqlOptions> = async (...call) => (await import("./run.ts")).runSql(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument("[query]", "one query; - reads it from standard input; none shows the tables and queries to start from")
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "Runs one query over a synced folder, in DuckDB with at most 4 threads. The folder is read-only, and a query reaches no " +
        "other file and no network.",
    );
  const declared = addDemoFlag(addLinksFlag(addListOutput(own)))
    .addOption(
      new Option(
        "--with <name=file>",
        "a CSV file as one more table, all of whose columns are texts (repeatable): watch=list.csv",
      ).argParser(collectValues),
    )
    .option("--memory <size>", "memory that DuckDB may use; the rest goes to disk (default: 512MiB)", size("--memory"))
    .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]");
  const examples = [
    "catalog sql rows",
    "catalog sql 'select retailer, count(*) as n from rows group by all order by n desc' rows",
    "catalog sql 'from changes where percent <= -15 order by crawl_date desc' rows -f csv",
    "catalog sql 'pivot rows on retailer using count(*) group by crawl_date' rows",
    "catalog sql 'from latest join watch using (sku) where selling_price <= target_price::decimal(18, 4)' rows --with watch=list.csv",
    "catalog sql - rows -o cheapest.parquet < cheapest.sql",
  ];
  addReportingFlags(declared, examples, TABLES).action((query, folder, flags) => {
    if (query?.trim() === "") {
      throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
    }
    const options = {
      ...parseFolderSource(command, folder, flags, context),
      query,
      tables: namedFiles(flags.with ?? []),
      memory: flags.memory,
      pager: flags.pager,
      output: parseOutput(flags, TABLE_FORMATS, context),
    };
    return run(options, context);
  });
}

const TAKEN = ["rows", "latest", "prices_daily", "changes", "days", "combinations"];

/** Parses each `NAME=FILE` of `--with`. */
function namedFiles(texts: readonly string[]): NamedFile[] {
  const taken = new Set(TAKEN);
  return texts.map((text) => {
    const [, name, path] = /^([a-z_][a-z0-9_]{0,62})=(.+)$/is.exec(text) ?? [];
    if (name === undefined || path === undefined) {
      throw valueError("--with", text, "is not a name and a file; write watch=list.csv.");
    }
    if (taken.has(name.toLowerCase())) {
      throw valueError("--with", text, `names an existing table; the tables are ${[...taken].join(", ")}.`);
    }
    refuseTilde(path, "--with");
    taken.add(name.toLowerCase());
    return { name, path };
  });
}
