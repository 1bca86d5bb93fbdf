import { isCalendarDate } from "../contract/filters.ts";
import { ContractError } from "../errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Readers of an answer's parts that give the typed value or throw a `ContractError` which names the part. */
export interface Checks {
  fail(what: string): never;
  object(value: unknown, name: string): Fields;
  array(value: unknown, name: string): unknown[];
  text(value: unknown, name: string): string;
  textOrNull(value: unknown, name: string): string | null;
  flag(value: unknown, name: string): boolean;
  /** An integer from 0. */
  count(value: unknown, name: string): number;
  /** A calendar date, `YYYY-MM-DD`. */
  date(value: unknown, name: string): string;
  dateOrNull(value: unknown, name: string): string | null;
}

export function checksFor(requestId: string | undefined): Checks {
  function fail(what: string): never {
    const request = requestId === undefined ? "" : ` (request ${requestId})`;
    throw new ContractError(`The service's answer breaks its contract: ${what}${request}`, requestId);
  }
  function text(value: unknown, name: string): string {
    return typeof value === "string" ? value : fail(`${name} is not a string`);
  }
  function date(value: unknown, name: string): string {
    const day = text(value, name);
    return isCalendarDate(day) ? day : fail(`${name} is not a date`);
  }
  return {
    fail,
    text,
    date,
    object: (value, name) => (isFields(value) ? value : fail(`${name} is not an object`)),
    array: (value, name) => (Array.isArray(value) ? value : fail(`${name} is not an array`)),
    textOrNull: (value, name) => (value === null ? null : text(value, name)),
    flag: (value, name) => (typeof value === "boolean" ? value : fail(`${name} is not true or false`)),
    count: (value, name) =>
      Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : fail(`${name} is not a count`),
    dateOrNull: (value, name) => (value === null ? null : date(value, name)),
  };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
