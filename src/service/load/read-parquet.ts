import { createWriteStream } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { ContentError, RowError } from "../../files/content-error.ts";
import { fileGlob, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { scratchFolder } from "../../files/scratch-folder.ts";
import type { SourceRow } from "./row.ts";
import { checkHeader } from "./table-rows.ts";

const MEMORY_BYTES = 512 * 1024 * 1024;

/** Digits of a decimal. DuckDB takes longer ones for doubles, and reads wrong numbers. */
const DECIMAL_DIGITS = 38;

/** Streams the rows of a Parquet file through DuckDB; chunks are first copied to a temporary file. `line` is the number of the row. @throws ContentError */
export async function* readParquet(
  file: string | AsyncIterable<Uint8Array>,
  partition: ReadonlyMap<string, string>,
  signal: AbortSignal,
): AsyncGenerator<SourceRow[]> {
  await using scratch = await scratchFolder();
  const path = typeof file === "string" ? await realpath(file) : join(scratch.path, "rows.parquet");
  if (typeof file !== "string") {
    await pipeline(file, createWriteStream(path));
  }
  await using duckDb = await openDuckDb({
    threads: 1,
    memory: MEMORY_BYTES,
    spills: true,
    files: [path],
    signal,
  });
  const pattern = sqlText(fileGlob(path));
  const rows = `read_parquet(${pattern}, hive_partitioning = false, binary_as_string = true)`;
  const ask = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await duckDb.until(action);
    } catch (error) {
      signal.throwIfAborted();
      // The lines after the first show where in the statement it failed.
      const [message = ""] = (error as Error).message.split("\n");
      throw new ContentError(`cannot be read as Parquet: ${message}`, { cause: error });
    }
  };
  const described = await ask(() => duckDb.connection.runAndReadAll(`DESCRIBE FROM ${rows}`));
  const types = new Map(described.getRows().map(([name, type]) => [String(name), String(type)]));
  checkHeader([...types.keys()], partition);
  const longDecimals = `SELECT name, precision FROM parquet_schema(${pattern}) WHERE precision > ${DECIMAL_DIGITS}`;
  const [long] = (await ask(() => duckDb.connection.runAndReadAll(longDecimals))).getRows();
  if (long !== undefined) {
    const [field = "", digits] = long.map(String);
    const expected = `a decimal of at most ${DECIMAL_DIGITS} digits`;
    throw new RowError({ line: 1, field, found: `one of ${digits}`, expected });
  }
  const members = PRODUCT_COLUMNS.flatMap((name) => {
    const type = types.get(name);
    return type === undefined ? [] : [`'"${name}":', coalesce(${jsonExpression(name, type)}, 'null')`];
  });
  const query = `SELECT concat('{', ${members.join(", ',', ")}, '}') FROM ${rows}`;
  const result = await ask(() => duckDb.connection.stream(query));
  const chunks = result.yieldRows()[Symbol.asyncIterator]();
  for (let line = 1; ; ) {
    const chunk = await ask(() => chunks.next());
    if (chunk.done) {
      return;
    }
    const first = line;
    yield chunk.value.map(([text], index) => ({ line: first + index, text: String(text) }));
    line += chunk.value.length;
  }
}

/** SQL of the JSON text of a column. Decimals and integers keep their digits, a FLOAT its shortest ones; a timestamp at midnight becomes a date. */
function jsonExpression(column: string, type: string): string {
  if (/^(?:DECIMAL\b.*|U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?)$/.test(type)) {
    return `${column}::VARCHAR`;
  }
  if (type === "DOUBLE" || type === "FLOAT") {
    // The nearest double of a FLOAT that was 19.9 would be 19.899999618530273.
    const number = type === "FLOAT" ? `${column}::VARCHAR::DOUBLE` : column;
    const text = `to_json(${number})::VARCHAR`;
    return `CASE WHEN isfinite(${number}) THEN regexp_replace(${text}, '\\.0$', '') ELSE '"' || ${text} || '"' END`;
  }
  if (type.startsWith("TIMESTAMP")) {
    // In UTC, regardless of the time zone of this machine.
    const time = type.endsWith("TIME ZONE") ? `make_timestamp(epoch_us(${column}))` : `${column}::TIMESTAMP`;
    return `to_json(CASE WHEN ${time} = ${time}::DATE THEN ${dayText(time)} ELSE ${time}::VARCHAR END)::VARCHAR`;
  }
  if (type === "DATE") {
    return `to_json(${dayText(column)})::VARCHAR`;
  }
  return `to_json(${column})::VARCHAR`;
}

/** SQL of a day as text; a cast would write the year 0000 as 0001 BC. */
function dayText(time: string): string {
  return `strftime(${time}, '%Y-%m-%d')`;
}
