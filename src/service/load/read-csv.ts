import { PRODUCT_COLUMNS, type ProductColumn, productSchema } from "../../contract/product.ts";
import { type CsvField, type CsvRecord, readCsvRecords } from "./csv-records.ts";
import { RowError, shown } from "./load-error.ts";
import type { Lines } from "./read-lines.ts";
import type { SourceRow } from "./row.ts";

/** A number in JSON (RFC 8259 section 6). It keeps its digits. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads CSV. The header must have exactly the contract's columns, in any order. `""` is an empty text. An empty field
 * without quotes is null if its column is nullable, otherwise an empty text.
 *
 * @param partition columns that the header may lack
 */
export async function* readCsv(
  blocks: AsyncIterable<Lines>,
  partition: ReadonlyMap<string, string>,
): AsyncGenerator<SourceRow[]> {
  let header: string[] | undefined;
  for await (const records of readCsvRecords(blocks)) {
    const first = header === undefined ? records.shift() : undefined;
    const columns = first === undefined ? header : checkHeader(first, partition);
    header = columns;
    yield columns === undefined ? [] : records.map((record) => csvRow(record, columns));
  }
  if (header === undefined) {
    throw new RowError({ line: 1, found: "nothing", expected: "a header line" });
  }
}

function checkHeader({ line, fields }: CsvRecord, partition: ReadonlyMap<string, string>): string[] {
  const names = fields.map((field) => field ?? "");
  for (const [index, name] of names.entries()) {
    if (!PRODUCT_COLUMNS.some((column) => column === name)) {
      throw new RowError({ line, found: `a column "${shown(name)}"`, expected: "only the columns of the contract" });
    }
    if (names.indexOf(name) !== index) {
      throw new RowError({ line, field: name, found: "the column twice", expected: "each column once" });
    }
  }
  const missing = PRODUCT_COLUMNS.find((column) => !names.includes(column) && !partition.has(column));
  if (missing !== undefined) {
    throw new RowError({ line, field: missing, found: "none", expected: "a column of this name" });
  }
  return names;
}

function csvRow({ line, fields }: CsvRecord, header: readonly string[]): SourceRow {
  if (fields.length !== header.length) {
    throw new RowError({ line, found: `${fields.length}`, expected: `${header.length} fields` });
  }
  const members = PRODUCT_COLUMNS.filter((column) => header.includes(column)).map(
    (column) => `"${column}":${csvValue(column, fields[header.indexOf(column)] ?? null)}`,
  );
  return { line, text: `{${members.join(",")}}` };
}

/** A text that is not a number stays a string. The check against the contract then refuses it. */
function csvValue(column: ProductColumn, field: CsvField): string {
  const { type } = productSchema.properties[column];
  if (field === null) {
    return type.includes("null") ? "null" : '""';
  }
  return type === "number" && JSON_NUMBER.test(field) ? field : JSON.stringify(field);
}
