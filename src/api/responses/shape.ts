import { isCalendarDate } from "../../contract/filters.ts";
import { isJsonObject, type JsonObject } from "../../contract/values/json-object.ts";
import { ContractError } from "../../errors.ts";

/** The keywords of JSON Schema that responses are checked against. The other keywords bind only the service. */
export interface Shape {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

/**
 * The error for a response that breaks the contract. Such a response counts as damaged in transit: the request is sent
 * again.
 */
export function brokenContract(what: string, requestId: string | undefined): ContractError {
  const request = requestId === undefined ? "" : ` (request ${requestId})`;
  return new ContractError(`The service's response breaks its contract: ${what}${request}`, requestId, true);
}

/**
 * Reads a response by a schema of the contract, whose type is `T`. Members that the schema does not name are left out. A
 * missing nullable member is read as null; every other member is required.
 *
 * @throws ContractError that names the first member with a wrong type or value.
 */
export function readShape<T>(schema: Shape, document: unknown, requestId: string | undefined): T {
  return readValue(schema, document, "", requestId) as T;
}

function readValue(shape: Shape, value: unknown, path: string, requestId: string | undefined): unknown {
  const { type, enum: known, items, properties } = shape;
  const types = [type].flat();
  if (value == null && types.includes("null")) {
    return null;
  }
  if (!(known?.includes(value) ?? types.some((name) => TYPES[name]?.fits(value, shape)))) {
    throw brokenContract(`${path === "" ? "the body" : `\`${path}\``} is not ${described(shape)}`, requestId);
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
const TYPES: Readonly<Record<string, { name: string; fits: (value: unknown, shape: Shape) => boolean }>> = {
  object: { name: "an object", fits: isJsonObject },
  array: { name: "an array", fits: Array.isArray },
  string: {
    name: "a string",
    fits: (value, { format }) => typeof value === "string" && (STRING_FORMATS[format ?? ""]?.fits(value) ?? true),
  },
  boolean: { name: "true or false", fits: (value) => typeof value === "boolean" },
  integer: { name: "an integer", fits: (value, shape) => Number.isSafeInteger(value) && isInBounds(value, shape) },
  number: { name: "a number", fits: (value, shape) => typeof value === "number" && isInBounds(value, shape) },
  null: { name: "null", fits: (value) => value === null },
};

const STRING_FORMATS: Readonly<Record<string, { name: string; fits: (text: string) => boolean }>> = {
  date: { name: "a date", fits: isCalendarDate },
  "date-time": { name: "a timestamp", fits: (text) => !Number.isNaN(Date.parse(text)) },
};

function isInBounds(value: unknown, { minimum = -Infinity, maximum = Infinity }: Shape): boolean {
  return Number(value) >= minimum && Number(value) <= maximum;
}

/** The expected value, as the end of a sentence. */
function described({ type, enum: known, format, minimum, maximum }: Shape): string {
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
