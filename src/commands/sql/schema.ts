import type { Query } from "../../cli/write-query.ts";

/** The columns of what a query can name. */
export const OF_TABLES = `FROM information_schema.columns WHERE table_schema = 'main'`;
const IN_ORDER = "list_position(['rows', 'latest', 'prices_daily', 'changes', 'days', 'combinations'], table_name)";

/** The columns of all tables, or of one: `table`, `column`, `type`. */
export function schemaQuery(table?: string): Query {
  const ofOne = table === undefined ? "" : "AND table_name = $1";
  return {
    sql: `SELECT table_name AS "table", column_name AS "column", data_type AS type
      ${OF_TABLES} ${ofOne} ORDER BY ${IN_ORDER}, ordinal_position`,
    values: table === undefined ? [] : [table],
  };
}

/** The tables, with the number of their columns. */
export const TABLES_QUERY: Query = {
  sql: `SELECT table_name AS "table", count(*) AS columns ${OF_TABLES} GROUP BY table_name ORDER BY ${IN_ORDER}`,
};
