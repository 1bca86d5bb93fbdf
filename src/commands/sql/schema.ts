import { wrap } from "../../cli/terminal/wrap.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import { priceIndexPath } from "../../folder/index/price-index.ts";
import type { SqlSession } from "../../folder/sql/sql-session.ts";

/** The columns of all tables. */
const COLUMNS_QUERY = `SELECT table_name AS "table", column_name AS "column", data_type AS type
  FROM information_schema.columns WHERE table_catalog = 'temp' AND table_name <> 'crawled row'
  ORDER BY list_position(['rows', 'latest', 'prices_daily', 'changes', 'days', 'combinations'], table_name), ordinal_position`;

/** Queries to start from. */
const QUERIES = [
  "select retailer, count(*) as n from rows group by all order by n desc",
  "from changes where percent <= -15 order by crawl_date desc",
  "select brand, median(selling_price) from latest group by all order by all",
];

const WIDTH = 100;

/** The tables with their columns, queries to start from, and the line that opens the index in DuckDB's own shell. */
export async function overview(session: SqlSession, folder: string): Promise<string> {
  const tables = new Map<string, string[]>();
  for await (const chunk of (await session.query(COLUMNS_QUERY)).rows) {
    for (const row of chunk) {
      const [table = "", column = ""] = row.map((text) => String(JSON.parse(text)));
      tables.set(table, [...(tables.get(table) ?? []), column]);
    }
  }
  const listed = [...tables].map(([table, columns]) => `${wrap(`${table}: ${columns.join(", ")}`, WIDTH)}\n`);
  const queries = QUERIES.map((query) => `  ${quoteCommand(["catalog", "sql", query, folder])}\n`);
  const shell = quoteCommand(["duckdb", "-readonly", priceIndexPath(folder)]);
  return `${listed.join("")}
To start from:
${queries.join("")}
DuckDB's own shell, on the index of prices that \`catalog latest\` and the other questions keep:
  ${shell}
`;
}
