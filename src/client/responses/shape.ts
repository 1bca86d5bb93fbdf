import { ContractError } from "../../contract/errors.ts";
import { isCalendarDate } from "../../contract/filters.ts";
import type { Schema } from "../../contract/object-schema.ts";
import { isJsonObject, type JsonObject } from "../../contract/values/json-object.ts";

/**
 * The error for a response that breaks the contract.
 *
 * @param damaged whether it may have been damaged in transit, so that the request is sent again
 */
export function brokenContract(what: string, requestId: string | undefined, damaged = true): ContractError {
  const request = requestId === undefined ? "" : ` (request ${requestId})`;
  return new ContractError(`The service's response breaks its contract: ${what}${request}`, requestId, damaged);
}

/**
 * Reads a response by a schema of the contract, whose type is `T`. Members that the schema does not name are left out. A
 * missing nullable member is read as null; every other member is required. Keywords that are not named below bind only
 * the service.
 *
 * @throws ContractError that names the first member with a wrong type or value.
 */
export function readShape<T>(schema: Schema, document: unknown, requestId: string | undefined): T {
  return readValue(schema, document, "", requestId) as T;
}

function readValue(schema: Schema, value: unknown, path: string, requestId: string | undefined): unknown {
  const { type = [], enum: known, items, properties } = schema;
  const types = [type].flat();
  if (value == null && types.includes("null")) {
    return null;
  }
  const fits = known?.some((one) => one === value) ?? types.some((name) => TYPES[name]?.fits(value, schema));
  if (!fits) {
    throw brokenContract(`${path === "" ? "the body" : `\`${path}\``} is not ${described(schema)}`, requestId);
  }
  if (items !== undefined) {
    return (value as unknown[]).map((item, index) => readValue(items, item, `${path}[${index}]`, requestId));
  }
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => {
      const place = path === "" ? name : `${path}.${name}`;
      return [name, readValue(member, (value as JsonObject)[name], place, requestId)];
    });
    return Object.fromEntries(members);
  }
  return value;
}

/** Names in messages and checks of the types of JSON Schema. */
const TYPES: Readonly<Record<string, { name: string; fits: (value: unknown, schema: Schema) => boolean }>> = {
  object: { name: "an object", fits: isJsonObject },
  array: { name: "an array", fits: Array.isArray },
  string: {
    name: "a string",
    fits: (value, { format }) => typeof value === "string" && (STRING_FORMATS[format ?? ""]?.fits(value) ?? true),
  },
  boolean: { name: "true or false", fits: (value) => typeof value === "boolean" },
  integer: { name: "an integer", fits: (value, schema) => Number.isSafeInteger(value) && isInBounds(value, schema) },
  number: { name: "a number", fits: (value, schema) => typeof value === "number" && isInBounds(value, schema) },
  null: { name: "null", fits: (value) => value === null },
};

const STRING_FORMATS: Readonly<Record<string, { name: string; fits: (text: string) => boolean }>> = {
  date: { name: "a date", fits: isCalendarDate },
  "date-time": { name: "a timestamp", fits: (text) => !Number.isNaN(Date.parse(text)) },
};

function isInBounds(value: unknown, { minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  return Number(value) >= minimum && Number(value) <= maximum;
}

/** The expected value, as the end of a sentence. */
function described({ type = [], enum: known, format, minimum, maximum }: Schema): string {
  if (known !== undefined) {
    return `one of ${known.join(", ")}`;
  }
  const from = minimum === undefined ? "" : ` from ${minimum}`;
  const to = maximum === undefined ? "" : ` to ${maximum}`;
  const [first, ...others] = [type]
    .flat()
    .map((name) => (name === "string" ? STRING_FORMATS[format ?? ""]?.name : undefined) ?? TYPES[name]?.name);
  return [`${first}${from}${to}`, ...others].join(" or ");
}
