import type { DuckDBPreparedStatement, DuckDBValue } from "@duckdb/node-api";
import { type DuckDb, loadDuckDb, sqlText } from "../../files/duckdb.ts";
import { exactQuery, sqlName } from "../../files/duckdb-texts.ts";
import { jsonRows } from "./json-rows.ts";

/** A named parameter of a question: `$name` in its SQL. */
export type Parameter = string | number | boolean | null | readonly string[] | readonly Record<string, string>[];
export type Parameters = Readonly<Record<string, Parameter>>;

/** A text, a comment, or a parameter, whose name it captures. Texts and comments may hold what looks like a parameter. */
const TOKEN = /'[^']*'|--.*|\$([a-z_]+)/g;

/** A comparison of one column with a number. */
export interface ColumnComparison {
  column: string;
  operator: "<" | "<=" | ">" | ">=" | "=";
  /** Digits, maybe with a sign and decimals. */
  number: string;
}

export interface RowSelection {
  columns: readonly string[];
  sort?: { column: string; descending: boolean } | undefined;
  /** Maximum number of rows; of each group, if `limitPer` names columns. */
  limit?: number | undefined;
  limitPer?: readonly string[] | undefined;
}

/** A row by the names of its columns. */
export type AnswerRow = Readonly<Record<string, string | number | boolean | null>>;

/** All rows that answer a question, in its own order, in a temporary table. */
export interface Answer {
  /** Number of all rows. */
  count: number;
  /** Number of rows of each group of `limitPer`, in the order of the rows. */
  groups(columns: readonly string[]): Promise<{ names: readonly unknown[]; count: number }[]>;
  /** The JSON texts of the selected rows in chunks of about 2,000; numbers are exact decimals. */
  rows(selection: RowSelection): AsyncIterable<readonly string[]>;
  /** The same rows as objects. */
  records(selection: RowSelection): Promise<AnswerRow[]>;
  /** Values over all rows, by SQL expressions. */
  totals(expressions: Readonly<Record<string, string>>): Promise<AnswerRow | undefined>;
  /** The different values of `columns`, each as one text, in the rows that meet all comparisons. */
  meeting(comparisons: readonly ColumnComparison[], columns: readonly string[]): Promise<string[]>;
}

/**
 * Answers a question from an open index.
 *
 * @param table name of the answer for later questions; the next answer of that name takes its place
 * @param sqlNames what the SQL calls columns that it cannot call by their names
 */
export async function ask(
  duckDb: DuckDb,
  sql: string,
  parameters: Parameters,
  table = "answer",
  sqlNames: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const quoted = (column: string) => sqlName(sqlNames[column] ?? column);
  // Its result is the number of rows that it has made.
  const [[count] = []] = await runStatement(duckDb, `CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`, parameters);
  const all = async (statement: string, values: string[] = []) =>
    (await duckDb.until((connection) => connection.runAndReadAll(exactQuery(statement), values))).getRows();
  return {
    count: Number(count),
    groups: async (columns) => {
      const list = columns.map(quoted).join(", ");
      const rows = await all(`SELECT ${list}, count(*) FROM ${table} GROUP BY ${list} ORDER BY min(rowid)`);
      return rows.map((row) => ({ names: row.slice(0, -1), count: Number(row.at(-1)) }));
    },
    rows: (selection) => jsonRows(duckDb, selectionSql(table, selection, quoted), selection.columns),
    records: (selection) => recordsOf(duckDb, selectionSql(table, selection, quoted), selection.columns),
    totals: async (expressions) => {
      const list = Object.entries(expressions).map(([name, sql]) => `${sql} AS ${quoted(name)}`);
      const [row] = await recordsOf(duckDb, `SELECT ${list.join(", ")} FROM ${table}`);
      return row;
    },
    meeting: async (comparisons, columns) => {
      const conditions = comparisons.map(({ column, operator }, index) =>
        // `count` is the number of all rows, and every row has it.
        column === "count"
          ? `(SELECT count(*) FROM ${table}) ${operator} $${index + 1}::DECIMAL(38, 12)`
          : `${quoted(column)} ${operator} $${index + 1}::DECIMAL(38, 12)`,
      );
      const rows = await all(
        `SELECT concat_ws(' ', ${columns.map(quoted).join(", ")}) AS name FROM ${table}
         WHERE ${conditions.join(" AND ")} GROUP BY name ORDER BY min(rowid)`,
        comparisons.map(({ number }) => number),
      );
      return rows.map(([name]) => String(name));
    },
  };
}

/** The rows of a small query with the parameters of questions. */
export async function readRows(duckDb: DuckDb, sql: string, parameters: Parameters): Promise<readonly DuckDBValue[][]> {
  return await runStatement(duckDb, exactQuery(sql), parameters);
}

/** Runs a statement with the parameters of questions. @returns the rows of its result */
async function runStatement(duckDb: DuckDb, sql: string, parameters: Parameters): Promise<readonly DuckDBValue[][]> {
  return (await duckDb.until(async () => (await prepare(duckDb, sql, parameters)).runAndReadAll())).getRows();
}

async function prepare(duckDb: DuckDb, sql: string, parameters: Parameters): Promise<DuckDBPreparedStatement> {
  const { listValue, structValue, LIST, STRUCT, VARCHAR } = await loadDuckDb();
  const toDuckDb = (parameter: Parameter): DuckDBValue =>
    parameter === null || typeof parameter !== "object"
      ? parameter
      : listValue(parameter.map((item) => (typeof item === "string" ? item : structValue(item))));
  const typeOf = ([first]: readonly unknown[]) =>
    LIST(
      typeof first === "object" && first !== null
        ? STRUCT(Object.fromEntries(Object.keys(first).map((name) => [name, VARCHAR])))
        : VARCHAR,
    );
  const names = new Set([...sql.matchAll(TOKEN)].map(([, name]) => name));
  const used = Object.entries(parameters).filter(([name]) => names.has(name));
  const prepared = await duckDb.until((connection) => connection.prepare(sql));
  prepared.bind(
    Object.fromEntries(used.map(([name, value]) => [name, toDuckDb(value)])),
    Object.fromEntries(used.flatMap(([name, value]) => (Array.isArray(value) ? [[name, typeOf(value)]] : []))),
  );
  return prepared;
}

async function recordsOf(duckDb: DuckDb, sql: string, names?: readonly string[]): Promise<AnswerRow[]> {
  const records: AnswerRow[] = [];
  for await (const chunk of jsonRows(duckDb, sql, names)) {
    records.push(...chunk.map((text) => JSON.parse(text) as AnswerRow));
  }
  return records;
}

function selectionSql(
  table: string,
  { columns, sort, limit, limitPer = [] }: RowSelection,
  quoted: (column: string) => string,
): string {
  const list = columns.map(quoted).join(", ");
  const first = limit === undefined ? "" : ` LIMIT ${limit}`;
  // DuckDB reads a table in the order of its rows, unless it is told not to; to sort by it would take a copy of all of them.
  if (sort === undefined && (limitPer.length === 0 || limit === undefined)) {
    return `SELECT ${list} FROM ${table}${first}`;
  }
  const order =
    sort === undefined ? "rowid" : `${quoted(sort.column)} ${sort.descending ? "DESC" : "ASC"} NULLS LAST, rowid`;
  if (limitPer.length === 0) {
    return `SELECT ${list} FROM ${table} ORDER BY ${order}${first}`;
  }
  // The groups stay in the order of the answer.
  const groups = limitPer.map(quoted).join(", ");
  return `SELECT ${list} FROM (
      SELECT *, row_number() OVER (PARTITION BY ${groups} ORDER BY ${order}) AS "place in group",
        min(rowid) OVER (PARTITION BY ${groups}) AS "place of group" FROM (SELECT *, rowid FROM ${table}))
    ${limit === undefined ? "" : `WHERE "place in group" <= ${limit}`} ORDER BY "place of group", "place in group"`;
}

/** The SQL of a question with its parameters filled in, for a person to continue with. */
export function filledIn(sql: string, parameters: Parameters): string {
  return sql.replace(TOKEN, (token, name?: string) => {
    const value = name === undefined ? undefined : parameters[name];
    return value === undefined ? token : literal(value);
  });
}

function literal(value: Parameter | Readonly<Record<string, string>>): string {
  if (typeof value === "string") {
    return sqlText(value);
  }
  if (value === null || typeof value !== "object") {
    return String(value).toUpperCase();
  }
  if (Array.isArray(value)) {
    return `[${value.map(literal).join(", ")}]`;
  }
  return `{${Object.entries(value)
    .map(([name, text]) => `${name}: ${sqlText(text)}`)
    .join(", ")}}`;
}
