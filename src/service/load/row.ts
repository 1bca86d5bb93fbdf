import { Ajv, type ErrorObject } from "ajv";
import { isCalendarDate } from "../../contract/filters.ts";
import { ROW_BOUNDS } from "../../contract/limits.ts";
import { PRODUCT_COLUMNS, type Product, productSchema } from "../../contract/product.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../contract/values/json-object.ts";
import { rawElements, rawMembers } from "../../contract/values/raw-json.ts";
import { RowError, shown } from "../../files/content-error.ts";
import type { JsonRecord } from "../../files/json-records.ts";
import type { NewRow } from "../store/product-rows/row-stage.ts";
import { emptyValue, jsonValue } from "./table-rows.ts";

/** All formats are read into JSON texts. */
export type SourceRow = JsonRecord;

const ajv = new Ajv({
  formats: {
    date: isCalendarDate,
    slug: (text: string) =>
      text !== "" && !/[\s,:\p{Cc}]/u.test(text) && Buffer.byteLength(text) <= ROW_BOUNDS.slugBytes,
    url: URL.canParse,
    "url-or-empty": (text: string) => text === "" || URL.canParse(text),
  },
});

const isProduct = ajv.compile<Product>(productSchema);

/** The expected value in words, by format, pattern or type of the schema, or by another keyword of it. */
const EXPECTED: Record<string, string> = {
  date: "a calendar date written YYYY-MM-DD",
  slug: `a slug of at most ${ROW_BOUNDS.slugBytes} bytes without white space, comma, colon or control characters`,
  url: "an absolute URL (WHATWG)",
  "url-or-empty": "an absolute URL (WHATWG) or nothing",
  "^[A-Z]{3}$": "a currency code of three capital letters (ISO 4217)",
  string: "a string",
  number: "a number",
  "string,null": "a string or null",
  minLength: "a string that is not empty",
};

/** Reads a row. Its numbers and escapes stay as in the source. @throws RowError if it breaks the contract */
export function readRow({ line, text: source }: SourceRow, partition: ReadonlyMap<string, string>): NewRow {
  const given = parsedText(source);
  if (!isJsonObject(given)) {
    throw new RowError({ line, ...jsonFlaw(source) });
  }
  const added = partition.size === 0 ? "" : addedMembers(line, given, partition);
  const text = added === "" ? source : `{${added}${source.trimStart().slice(1)}`;
  const value = added === "" ? given : { ...given, ...JSON.parse(`{${added.slice(0, -1)}}`) };
  if (!isProduct(value)) {
    throw contractError(line, text, isProduct.errors?.[0]);
  }
  if (text.includes("\\u")) {
    refuseLoneSurrogates(line, value);
  }
  const body = CANONICAL.test(text) ? text : canonicalBody(line, text);
  // No value of a shorter row is above a bound.
  if (body.length > ROW_BOUNDS.numberCharacters) {
    refuseLongValues(line, body);
  }
  return { line, product: value, body };
}

/** JSON text of the members that the row lacks and the folders in the file's path give. @throws RowError if the row has another value */
function addedMembers(line: number, given: JsonObject, partition: ReadonlyMap<string, string>): string {
  let added = "";
  for (const name of PRODUCT_COLUMNS) {
    const text = partition.get(name);
    if (text === undefined) {
      continue;
    }
    const value = text === "" ? emptyValue(name) : jsonValue(name, text);
    if (!(name in given)) {
      added += `"${name}":${value},`;
    } else if (given[name] !== JSON.parse(value) && (text !== "" || given[name] !== "")) {
      const found = `${shown(JSON.stringify(given[name]))} in the file`;
      throw new RowError({ line, field: name, found, expected: `${shown(value)} as the folder ${name}=… says` });
    }
  }
  return added;
}

function refuseLongValues(line: number, body: string): void {
  const { numberCharacters, rowBytes } = ROW_BOUNDS;
  const members = [...rawMembers(body)];
  const number = members.find(([, value]) => !value.startsWith('"') && value.length > numberCharacters);
  if (number !== undefined) {
    const [field, { length }] = number;
    const expected = `a number of at most ${numberCharacters} characters`;
    throw new RowError({ line, field, found: `${length} characters`, expected });
  }
  if (Buffer.byteLength(body) > rowBytes) {
    const [field, value] = members.reduce((one, other) => (other[1].length > one[1].length ? other : one));
    const found = `a value of ${Buffer.byteLength(value)} bytes`;
    throw new RowError({ line, field, found, expected: `a row of at most ${rowBytes} bytes` });
  }
}

/** A JSON object with the contract's names in order, without white space between tokens. */
const CANONICAL = new RegExp(
  `^\\{${PRODUCT_COLUMNS.map((name) => `"${name}":(?:"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[^",\\s]+)`).join(",")}\\}$`,
);

function canonicalBody(line: number, text: string): string {
  refuseRepeatedNames(line, text);
  const members = rawMembers(text);
  return `{${PRODUCT_COLUMNS.map((name) => `"${name}":${members.get(name)}`).join(",")}}`;
}

/** Undefined if the text is not JSON. */
function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function contractError(line: number, text: string, error: ErrorObject | undefined): RowError {
  const { keyword, instancePath = "", params = {} } = error ?? {};
  if (keyword === "required") {
    return new RowError({ line, field: params.missingProperty, found: "none", expected: "a value" });
  }
  if (keyword === "additionalProperties") {
    const field = shown(params.additionalProperty);
    return new RowError({ line, field, found: "a field of this name", expected: "only the fields of the contract" });
  }
  const field = instancePath.slice(1);
  const expected = EXPECTED[String(params.format ?? params.pattern ?? params.type ?? keyword)] ?? error?.message ?? "";
  return new RowError({ line, field, found: shown(rawMembers(text).get(field) ?? "none"), expected });
}

/** `JSON.parse` silently keeps the last value of a repeated name. */
function refuseRepeatedNames(line: number, text: string): void {
  const names = rawElements(text)
    .filter((_, index) => index % 2 === 0)
    .map((name) => JSON.parse(name) as string);
  const field = names.find((name, index) => names.indexOf(name) !== index);
  if (field !== undefined) {
    throw new RowError({ line, field, found: "the field twice", expected: "each field once" });
  }
}

/** A lone surrogate cannot be written as UTF-8, so a client would save a different text. */
function refuseLoneSurrogates(line: number, product: Product): void {
  for (const [field, value] of Object.entries(product)) {
    if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
      throw new RowError({ line, field, found: shown(JSON.stringify(value)), expected: "whole characters" });
    }
  }
}

/** What a line that is not a JSON object is, and what to do. */
function jsonFlaw(text: string): { field?: string; found: string; expected: string; hint?: string } {
  const expected = "a JSON object";
  const [token, field, value = ""] = /"(\w+)"\s*:\s*(NaN|-?Infinity)\b/.exec(text) ?? [];
  if (token !== undefined && field !== undefined) {
    const character = text.indexOf(token) + token.length - value.length + 1;
    const hint = "JSON has no such value: write a number, or leave the row out";
    return { field, found: `${value} at character ${character} of the line`, expected: "a number", hint };
  }
  const comma = /,\s*$/.exec(text);
  if (comma !== null && parseJsonObject(text.slice(0, comma.index)) !== undefined) {
    const found = `a comma after it at character ${comma.index + 1} of the line`;
    const hint = "leave the commas out, or put [ ] around all rows to make them a JSON array";
    return { found, expected: `${expected} alone on the line`, hint };
  }
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, "");
  if (/^\s*\{\s*(?:"|$)/.test(text) && outside.split("{").length > outside.split("}").length) {
    const hint = "`jq -c . FILE` writes each object on one line";
    return { found: "one that continues on the next line", expected: `${expected} on one line`, hint };
  }
  return { found: shown(text), expected };
}
