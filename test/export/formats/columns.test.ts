import { expect, test } from "vitest";
import { UsageError } from "../../../src/contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import { parseColumns } from "../../../src/export/formats/columns.ts";

function refusalOf(text: string): Partial<UsageError> {
  try {
    parseColumns(text, PRODUCT_COLUMNS);
  } catch (error) {
    if (error instanceof UsageError) {
      return { message: error.message, suggestions: error.suggestions, flag: error.flag, value: error.value };
    }
  }
  throw new Error("it was not refused");
}

test("columns are read in the given order, and blanks around a name are ignored", () => {
  expect(parseColumns("title, sku ,mrp", PRODUCT_COLUMNS)).toEqual(["title", "sku", "mrp"]);
});

test("an unknown column is refused with the closest names, best first", () => {
  expect(refusalOf("sku,titel")).toEqual({
    message: 'there is no column "titel"',
    suggestions: ["title"],
    flag: "--columns",
    value: "titel",
  });
});

test("a part of its name finds a column", () => {
  expect(refusalOf("price").suggestions).toEqual(["selling_price"]);
});

test("a column without close matches is refused, and all names are listed", () => {
  expect(refusalOf("zzzzzz")).toEqual({
    message: `there is no column "zzzzzz"; the columns are ${PRODUCT_COLUMNS.join(", ")}`,
    suggestions: [],
    flag: "--columns",
    value: "zzzzzz",
  });
});

test.each([
  ["sku,,mrp", "--columns contains an empty name"],
  ["", "--columns contains an empty name"],
  ["sku,mrp,sku", '--columns names "sku" twice'],
])("the list '%s' is refused", (text, message) => {
  expect(refusalOf(text).message).toBe(message);
});

test("several unknown columns are refused together, with the whole list corrected", () => {
  expect(refusalOf(" titel, sku,brnd ")).toEqual({
    message: 'there are no columns "titel", "brnd" of "titel, sku,brnd"',
    suggestions: ["title,sku,brand"],
    flag: "--columns",
    value: "titel, sku,brnd",
  });
});

test("a correction names each column once", () => {
  expect(refusalOf("title,titel,brnd").suggestions).toEqual(["title,brand"]);
});

test("several unknown columns of which one has no match are refused without a correction", () => {
  expect(refusalOf("titel,zzzzzz")).toEqual({
    message: `there are no columns "titel", "zzzzzz" of "titel,zzzzzz"; the columns are ${PRODUCT_COLUMNS.join(", ")}`,
    suggestions: [],
    flag: "--columns",
    value: "titel,zzzzzz",
  });
});

test("an unknown column is refused before an empty name, and both name the flag", () => {
  expect(refusalOf(",titel").message).toBe('there is no column "titel"');
  expect(refusalOf("sku,")).toMatchObject({ flag: "--columns", value: "sku," });
  expect(refusalOf("sku, sku")).toMatchObject({ flag: "--columns", value: "sku, sku" });
});
