import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addSqlFlags, parseSqlOptions, type SqlOptions } from "./options.ts";

const TABLES = `Tables:
  rows          every row as it was crawled
  latest        the last known price of each product: the cheapest row of its
                newest day
  prices_daily  the cheapest row of each product and day, as in \`history\`
  changes       each change of a product's price or currency from one day of
                prices_daily to the next
  days          each day: rows, retailers, combinations
  combinations  each retailer, category and department: rows, products, first
                and last day

A product is a retailer and a sku. rows, latest and prices_daily have the
columns of the contract: crawl_date is a DATE; mrp, selling_price and
discount_pct are DOUBLE; the others are VARCHAR. changes has crawl_date and
previous_date (DATE); retailer, department, category, sku, brand, title, currency
and previous_currency (VARCHAR); selling_price, previous_price, change and
percent (DOUBLE). change and percent are NULL between two currencies, and
percent is NULL after a price of 0.`;

const load: Run<SqlOptions> = async (...call) => (await import("./run.ts")).runSql(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addSqlFlags(command)
    .argument("[query]", "one query; - reads it from standard input; none shows the tables and queries to start from")
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "Runs one query over a synced folder, in DuckDB with at most 4 threads. The folder is read-only, and a query reaches no " +
        "other file and no network.",
    );
  const examples = [
    "catalog sql rows",
    "catalog sql 'select retailer, count(*) as n from rows group by all order by n desc' rows",
    "catalog sql 'from changes where percent <= -15 order by crawl_date desc' rows -f csv",
    "catalog sql 'pivot rows on retailer using count(*) group by crawl_date' rows",
    "catalog sql 'from latest join watch using (sku) where selling_price <= target_price::decimal(18, 4)' rows --with watch=list.csv",
    "catalog sql - rows -o cheapest.parquet < cheapest.sql",
  ];
  addReportingFlags(declared, examples, TABLES).action((query, folder, flags) =>
    run(parseSqlOptions(command, query, folder, flags, context), context),
  );
}
