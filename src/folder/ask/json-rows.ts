import type { DuckDb } from "../../files/duckdb.ts";
import { exactQuery } from "../../files/duckdb-texts.ts";

/** The rows of a query in chunks of about 2,000; a row is the JSON texts of its values. Decimals have no trailing zeros. */
export async function* jsonRows(duckDb: DuckDb, sql: string): AsyncGenerator<string[][], void, void> {
  const result = await duckDb.until((connection) => connection.stream(exactQuery(sql)));
  const kinds = result.columnTypes().map((type) => kindOf(String(type)));
  const chunks = result.yieldRowsJson()[Symbol.asyncIterator]();
  for (;;) {
    const chunk = await duckDb.until(() => chunks.next());
    if (chunk.done) {
      return;
    }
    yield chunk.value.map((row) => row.map((value, index) => jsonText(value, kinds[index])));
  }
}

type Kind = "decimal" | "integer" | undefined;

function kindOf(type: string): Kind {
  if (type.startsWith("DECIMAL")) {
    return "decimal";
  }
  return /^U?(BIG|HUGE)INT$/.test(type) ? "integer" : undefined;
}

function jsonText(value: unknown, kind: Kind): string {
  if (typeof value !== "string" || kind === undefined) {
    return JSON.stringify(value);
  }
  return kind === "decimal" && value.includes(".") ? value.replace(/\.?0+$/, "") : value;
}
