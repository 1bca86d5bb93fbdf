import { PRODUCT_COLUMNS, type ProductColumn, productSchema } from "../../contract/product.ts";
import { RowError } from "../../files/content-error.ts";
import { headerFlaw } from "../../files/header-flaw.ts";

/** Checks that a header has each column of the contract once, in any order. @throws RowError naming everything that is wrong */
export function checkHeader(
  names: readonly string[],
  partition: ReadonlyMap<string, string>,
): readonly ProductColumn[] {
  const required = PRODUCT_COLUMNS.filter((column) => !partition.has(column));
  const flaw = headerFlaw(names, { required, optional: PRODUCT_COLUMNS });
  if (flaw !== undefined) {
    const expected = `the ${PRODUCT_COLUMNS.length} columns that \`catalog service load --help\` lists`;
    throw new RowError({ line: 1, expected, found: flaw });
  }
  return names as readonly ProductColumn[];
}

export const isNumberColumn = (column: ProductColumn) => productSchema.properties[column].type === "number";

/** JSON text of the value of an empty cell: null if the column may be null, otherwise an empty text. */
export const emptyValue = (column: ProductColumn) =>
  productSchema.properties[column].type.includes("null") ? "null" : '""';

/** A number in JSON (RFC 8259 section 6). It keeps its digits. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** JSON text of a value in text. A text that is not a number stays a string; the check against the contract refuses it. */
export function jsonValue(column: ProductColumn, text: string): string {
  return isNumberColumn(column) && JSON_NUMBER.test(text) ? text : JSON.stringify(text);
}
