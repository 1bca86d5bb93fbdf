import type { DuckDBType } from "@duckdb/node-api";
import { type DuckDb, sqlText } from "../../files/duckdb.ts";
import { sqlName } from "../../files/duckdb-texts.ts";

/**
 * The rows of a query in chunks of about 2,000, each as the JSON text of an object. DuckDB writes these texts, because reading
 * value by value takes JavaScript longer than most questions take DuckDB. Decimals have no trailing zeros.
 *
 * @param names of the members; default: those of the columns
 */
export async function* jsonRows(
  duckDb: DuckDb,
  sql: string,
  names: readonly string[] = [],
): AsyncGenerator<string[], void, void> {
  const prepared = await duckDb.until((connection) => connection.prepare(sql));
  const members = Array.from({ length: prepared.columnCount }, (_, index) =>
    memberSql(prepared.columnName(index), prepared.columnType(index), names[index]),
  );
  prepared.destroySync();
  const texts = `SELECT concat('{', ${members.join(", ',', ")}, '}') FROM (${sql})`;
  const result = await duckDb.until((connection) => connection.stream(texts));
  for (;;) {
    const chunk = await duckDb.until(() => result.fetchChunk());
    if (chunk === null || chunk.rowCount === 0) {
      return;
    }
    // By column: `@duckdb/node-api` would make an array of each row.
    yield chunk.getColumnValues(0).map((text) => asInJavaScript(String(text)));
  }
}

/** JSON text with escapes in lower case, as `JSON.stringify` writes them: `\u001b` for `\u001B`. */
function asInJavaScript(text: string): string {
  return text.includes("\\u") ? text.replace(/\\(?:u.{4}|.)/g, (escaped) => escaped.toLowerCase()) : text;
}

/** SQL for the parts of a member: its name, and the value as `JSON.stringify` writes it, but with all digits of a decimal. */
function memberSql(columnName: string, type: DuckDBType, name = columnName): string {
  const column = sqlName(columnName);
  return `${sqlText(`${JSON.stringify(name)}:`)}, coalesce(${valueSql(column, String(type))}, 'null')`;
}

function valueSql(column: string, type: string): string {
  const json = `to_json(${column})::VARCHAR`;
  if (/^DECIMAL\(\d+,[1-9]/.test(type)) {
    return `rtrim(rtrim(${column}::VARCHAR, '0'), '.')`;
  }
  if (type === "DATE") {
    // As JSON, the year 0000 would be "0001-01-01 (BC)".
    return `strftime(${column}, '"%Y-%m-%d"')`;
  }
  if (type !== "DOUBLE") {
    return json;
  }
  // DuckDB writes 20.0, -0.0 and 1e21; JSON has no infinite numbers.
  const number = `regexp_replace(regexp_replace(to_json(${column} + 0)::VARCHAR, '\\.0$', ''), 'e(\\d)', 'e+\\1')`;
  return `if(isfinite(${column}), ${number}, '"' || ${json} || '"')`;
}
