import { PRODUCT_COLUMNS, type ProductColumn } from "../../contract/product.ts";
import { RowError } from "../../files/content-error.ts";
import { type CsvField, type CsvPart, type CsvRecord, readCsvRecords } from "../../files/csv-records.ts";
import { spreadsheetTextReader } from "../../files/spreadsheet-text.ts";
import type { Lines } from "../../files/utf8-lines.ts";
import type { SourceRow } from "./row.ts";
import { checkHeader, emptyValue, isNumberColumn, jsonValue } from "./table-rows.ts";

/** A price with a decimal comma. Three digits after it may also be thousands. */
const DECIMAL_COMMA = /^(-?\d+),(\d{1,2}|\d{4,})$/;

/**
 * Reads CSV. `""` is an empty text; an empty field without quotes is null if its column may be null. In a file with semicolons,
 * numbers may have a decimal comma. What `export --excel` protected is read as it was. @throws RowError
 */
export async function* readCsv(
  blocks: AsyncIterable<Lines>,
  partition: ReadonlyMap<string, string>,
): AsyncGenerator<SourceRow[]> {
  let rowOf: ((record: CsvRecord) => SourceRow) | undefined;
  for await (const part of readCsvRecords(blocks)) {
    const header = rowOf === undefined ? part.records.shift() : undefined;
    if (header !== undefined) {
      const names = header.fields.map((field) => field?.trim() ?? "");
      rowOf = rowReader(checkHeader(names, partition), part);
    }
    yield rowOf === undefined ? [] : part.records.map(rowOf);
  }
  if (rowOf === undefined) {
    throw new RowError({ line: 1, found: "nothing", expected: "a header line" });
  }
}

function rowReader(header: readonly ProductColumn[], { delimiter, isMarked }: CsvPart) {
  const textOf = spreadsheetTextReader(isMarked);
  /** The columns in the order of the contract, which needs no sorting later. */
  const columns = PRODUCT_COLUMNS.flatMap((name) => {
    const index = header.indexOf(name);
    return index === -1 ? [] : [{ name, index, isNumber: isNumberColumn(name), empty: emptyValue(name) }];
  });
  return ({ line, fields }: CsvRecord): SourceRow => {
    if (fields.length !== header.length) {
      throw new RowError({ line, found: `${fields.length}`, expected: `${header.length} fields` });
    }
    const jsonOf = (field: CsvField, { name, isNumber, empty }: (typeof columns)[number]) => {
      if (field === null) {
        return empty;
      }
      if (isNumber) {
        return jsonValue(name, delimiter === ";" ? field.replace(DECIMAL_COMMA, "$1.$2") : field);
      }
      return JSON.stringify(textOf(field, line, name));
    };
    const members = columns.map((column) => `"${column.name}":${jsonOf(fields[column.index] ?? null, column)}`);
    return { line, text: `{${members.join(",")}}` };
  };
}
