import { PRODUCT_COLUMNS, type ProductColumn, productSchema } from "../../contract/product.ts";
import { closest } from "../../contract/values/closest.ts";
import { RowError, shown } from "../../files/content-error.ts";

/**
 * Checks the header of a file whose columns have names: each column of the contract once, in any order. The error names
 * everything that is wrong.
 *
 * @param partition columns that the folders of the file name, so that the file may lack them
 * @throws RowError
 */
export function checkHeader(names: readonly string[], partition: ReadonlyMap<string, string>): ProductColumn[] {
  const isKnown = (name: string): name is ProductColumn => PRODUCT_COLUMNS.some((column) => column === name);
  const missing = PRODUCT_COLUMNS.filter((column) => !names.includes(column) && !partition.has(column));
  const unknown = [...new Set(names.filter((name) => !isKnown(name)))].map((name) => {
    const [near] = closest(name, missing, 1);
    return `${JSON.stringify(shown(name))}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
  });
  const twice = PRODUCT_COLUMNS.filter((column) => names.indexOf(column) !== names.lastIndexOf(column));
  const flaws = [
    ...(missing.length > 0 ? [`missing ${missing.join(", ")}`] : []),
    ...(unknown.length > 0 ? [`unknown ${unknown.join(", ")}`] : []),
    ...(twice.length > 0 ? [`twice ${twice.join(", ")}`] : []),
  ];
  if (flaws.length > 0) {
    const expected = `the ${PRODUCT_COLUMNS.length} columns that \`catalog service load --help\` lists`;
    throw new RowError({ line: 1, expected, found: flaws.join("; ") });
  }
  return names.filter(isKnown);
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
