import { buffer } from "node:stream/consumers";
import { streamXlsxRows } from "hucre/xlsx";
import type { ProductColumn } from "../../contract/product.ts";
import { ContentError, RowError } from "../../files/content-error.ts";
import type { SourceRow } from "./row.ts";
import { checkHeader, emptyValue } from "./table-rows.ts";

const ROWS_AT_ONCE = 1_000;

/** Reads the first sheet of a workbook, all of which is in memory. It has a header like that of CSV. Days may be dates of Excel. */
export async function* readWorkbook(
  chunks: AsyncIterable<Uint8Array>,
  partition: ReadonlyMap<string, string>,
): AsyncGenerator<SourceRow[]> {
  let header: readonly ProductColumn[] | undefined;
  let rows: SourceRow[] = [];
  try {
    for await (const { index, values } of streamXlsxRows(await buffer(chunks))) {
      if (values.every((value) => value === null)) {
        continue;
      }
      if (header === undefined) {
        header = checkHeader(
          values.map((value) => String(value ?? "").trim()),
          partition,
        );
        continue;
      }
      const last = values.findLastIndex((value) => value !== null);
      if (last >= header.length) {
        throw new RowError({ line: index + 1, found: `${last + 1}`, expected: `${header.length} cells` });
      }
      const members = header.map((name, at) => `"${name}":${cellValue(name, values[at] ?? null)}`);
      rows.push({ line: index + 1, text: `{${members.join(",")}}` });
      if (rows.length === ROWS_AT_ONCE) {
        yield rows;
        rows = [];
      }
    }
  } catch (error) {
    if (error instanceof ContentError) {
      throw error;
    }
    throw new ContentError(`cannot be read as an Excel file: ${(error as Error).message}`, { cause: error });
  }
  yield rows;
  if (header === undefined) {
    throw new RowError({ line: 1, found: "nothing", expected: "a header row" });
  }
}

function cellValue(name: ProductColumn, value: unknown): string {
  if (value === null) {
    return emptyValue(name);
  }
  if (value instanceof Date) {
    const [day, time] = value.toISOString().split("T");
    return JSON.stringify(time === "00:00:00.000Z" ? day : `${day}T${time}`);
  }
  return JSON.stringify(value);
}
