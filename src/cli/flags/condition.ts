import { ConditionHoldsError, UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { firstFew, plural, quoted } from "../../contract/values/phrases.ts";
import type { ColumnComparison } from "../../folder/ask/ask.ts";
import { valueError } from "./values.ts";

const COMPARISONS = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
  "=": (a: number, b: number) => a === b,
} as const satisfies Record<ColumnComparison["operator"], (a: number, b: number) => boolean>;

/** A condition of `--fail-if`. Questions evaluate it in SQL, everything else calls `isMet`. */
export interface Condition<Field extends string = string> {
  /** As typed. */
  text: string;
  /** All of them must be true. */
  comparisons: readonly (ColumnComparison & { column: Field })[];
}

/** @throws UsageError naming the malformed part or the unknown field */
export function parseCondition<Field extends string>(text: string, fields: readonly Field[]): Condition<Field> {
  return { text, comparisons: text.split(/\s+and\s+/i).map((part) => parseComparison(part.trim(), fields)) };
}

/** Whether a row meets a condition. Comparisons with missing values are false. */
export function isMet<Field extends string>(
  { comparisons }: Condition<Field>,
  row: Readonly<Partial<Record<Field, number | null | undefined>>>,
): boolean {
  return comparisons.every(({ column, operator, number }) => {
    const value = row[column];
    return value !== undefined && value !== null && COMPARISONS[operator](value, Number(number));
  });
}

/**
 * @param names of what meets the condition, such as `retailer sku`
 * @param noun for one of them
 * @throws ConditionHoldsError if there are any
 */
export function failIfAnyMatch({ text }: Condition, names: readonly string[], noun: string): void {
  if (names.length > 0) {
    throw new ConditionHoldsError(matchText(text, names, noun));
  }
}

/**
 * A condition on the number of rows alone, such as `count = 0`, can also be met by an answer without rows, which has none to name.
 *
 * @throws ConditionHoldsError if there are no rows, and that meets the condition
 */
export function failIfCountMatches(condition: Condition, count: number, noun: string): void {
  if (count === 0 && isMet(condition, { count })) {
    throw new ConditionHoldsError(`${condition.text} holds: there is no ${noun}`);
  }
}

function matchText(text: string, names: readonly string[], noun: string): string {
  const matches = plural(names.length, noun);
  const moved = movementOf(text);
  const what = moved === undefined ? `${text} holds for ${matches}` : `${matches} ${moved}`;
  return `${what}: ${firstFew(names.map((name) => name || JSON.stringify(name)))}`;
}

/** Describes a condition on `percent` as a price movement: `fell more than 20 %`. */
function movementOf(condition: string): string | undefined {
  const [, sign = "", minus, size] = /^percent\s*([<>]=?)\s*(?:(-)|\+)?([\d.]+)\s*%?$/.exec(condition.trim()) ?? [];
  if (size === undefined || Number(size) === 0 || sign.startsWith("<") !== (minus !== undefined)) {
    return undefined;
  }
  const verb = minus === undefined ? "rose" : "fell";
  return sign.endsWith("=") ? `${verb} ${size} % or more` : `${verb} more than ${size} %`;
}

function parseComparison<Field extends string>(part: string, fields: readonly Field[]) {
  const match = /^([^\s<>=]+?)\s*(<=|>=|<|>|=)\s*([-+]?\d{1,20}(?:\.\d{1,12})?)\s*%?$/.exec(part);
  if (match === null) {
    throw valueError(
      "--fail-if",
      part,
      `is not a condition; write a field, one of < <= > >= = and a number (up to 20 digits, 12 decimals): ${fields[0]} > 0.`,
    );
  }
  const [, name = "", operator, number = ""] = match;
  const column = fields.find((known) => known === name);
  if (column === undefined) {
    throw new UsageError(`--fail-if has no field ${quoted(name)}; the fields are ${fields.join(", ")}.`, {
      flag: "--fail-if",
      value: name,
      suggestions: closest(name, fields),
    });
  }
  return { column, operator: operator as ColumnComparison["operator"], number };
}
