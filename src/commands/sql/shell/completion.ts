import type { QueryResult, SqlSession } from "../../../folder/sql/sql-session.ts";
import { OF_TABLES } from "../schema.ts";

/** What Tab completes: tables and their columns, and the words of SQL. */
export interface ShellWords {
  tables: readonly string[];
  columns: readonly string[];
  keywords: readonly string[];
}

export async function shellWords(session: SqlSession): Promise<ShellWords> {
  const listed = async (sql: string) => textsOf(await session.query(sql));
  return {
    tables: await listed(`SELECT DISTINCT table_name ${OF_TABLES} ORDER BY ALL`),
    columns: await listed(`SELECT DISTINCT column_name ${OF_TABLES} ORDER BY ALL`),
    keywords: await listed(
      "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved' ORDER BY ALL",
    ),
  };
}

async function textsOf({ rows }: QueryResult): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of rows) {
    texts.push(...chunk.map(([text = ""]) => JSON.parse(text) as string));
  }
  return texts;
}

/** The words that the end of a line may be completed to, and that end. SQL's own words have the letter case of the end. */
export function completions(
  { tables, columns, keywords }: ShellWords,
  commands: readonly string[],
  line: string,
): [string[], string] {
  const command = /^\s*(\.\w*)$/.exec(line)?.[1];
  if (command !== undefined) {
    return [commands.filter((name) => name.startsWith(command)), command];
  }
  const end = /\w*$/.exec(line)?.[0] ?? "";
  const begins = (word: string) => end !== "" && word.startsWith(end.toLowerCase());
  const cased = (word: string) => (end === end.toUpperCase() ? word.toUpperCase() : word);
  return [[...new Set([...tables, ...columns].filter(begins)), ...keywords.filter(begins).map(cased)], end];
}
