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
  if (value == null && [shape.type].flat().includes("null")) {
    return null;
  }
  if (!fits(shape, value)) {
    throw brokenContract(`${path === "" ? "the body" : `\`${path}\``} is not ${described(shape)}`, requestId);
  }
  const { items, properties } = shape;
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

function fits({ type, enum: known, format, minimum = -Infinity, maximum = Infinity }: Shape, value: unknown): boolean {
  if (known !== undefined) {
    return known.includes(value);
  }
  switch ([type].flat().find((name) => name !== "null")) {
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    case "string":
      return typeof value === "string" && (STRING_FORMATS[format ?? ""]?.fits(value) ?? true);
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
    case "number":
      return typeof value === "number" && value >= minimum && value <= maximum;
    default:
      return typeof value === type;
  }
}

const STRING_FORMATS: Readonly<Record<string, { name: string; fits: (text: string) => boolean }>> = {
  date: { name: "a date", fits: isCalendarDate },
  "date-time": { name: "a timestamp", fits: (text) => !Number.isNaN(Date.parse(text)) },
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  null: "null",
};

/** The expected value, as the end of a sentence. */
function described({ type, enum: known, format, minimum, maximum }: Shape): string {
  if (known !== undefined) {
    return `one of ${known.join(", ")}`;
  }
  const from = minimum === undefined ? "" : ` from ${minimum}`;
  const to = maximum === undefined ? "" : ` to ${maximum}`;
  const names = [type]
    .flat()
    .map((name) => (name === "string" ? STRING_FORMATS[format ?? ""]?.name : undefined) ?? TYPE_NAMES[name]);
  return names.map((name, index) => (index === 0 ? `${name}${from}${to}` : name)).join(" or ");
}
