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
} as const;

/** A condition of `--fail-if`. */
export interface Condition<Field extends string> {
  /** As it was written. */
  text: string;
  /** The fields that it compares. */
  fields: readonly Field[];
  /** Its parts, all of which must hold. */
  comparisons: readonly ColumnComparison[];
  /** Whether a row meets it; a comparison with a missing value is false. */
  holds(row: Readonly<Partial<Record<Field, number | null | undefined>>>): boolean;
}

/** @throws UsageError naming the part that is no condition, or the field that there is not */
export function parseCondition<Field extends string>(text: string, fields: readonly Field[]): Condition<Field> {
  const parts = text.split(/\s+and\s+/i).map((part) => parsePart(part.trim(), fields));
  return {
    text,
    fields: parts.map(({ field }) => field),
    comparisons: parts.map(({ comparison }) => comparison),
    holds: (row) => parts.every((part) => part.holds(row)),
  };
}

/**
 * @param names those that meet the condition, such as `retailer sku`
 * @param noun what one of them is
 * @throws ConditionHoldsError if there is one
 */
export function failIfAnyMatch(
  condition: Condition<string> | undefined,
  names: ReadonlySet<string>,
  noun = "product",
): void {
  if (condition !== undefined && names.size > 0) {
    throw new ConditionHoldsError(matchText(condition, [...names], noun));
  }
}

/** What meets a condition, in words. @param names what it holds for @param noun what one of them is */
export function matchText({ text }: Pick<Condition<string>, "text">, names: readonly string[], noun: string): string {
  const held = plural(names.length, noun);
  const moved = movementOf(text);
  const what = moved === undefined ? `${text} holds for ${held}` : `${held} ${moved}`;
  return `${what}: ${firstFew(names, NAMED)}`;
}

/** Most products that an error names. */
const NAMED = 3;

/** A condition that is one movement of the price, in words: `fell more than 20 %`. */
function movementOf(condition: string): string | undefined {
  const [, sign = "", minus, size] = /^percent\s*([<>]=?)\s*(?:(-)|\+)?([\d.]+)\s*%?$/.exec(condition.trim()) ?? [];
  if (size === undefined || Number(size) === 0 || sign.startsWith("<") !== (minus !== undefined)) {
    return undefined;
  }
  const verb = minus === undefined ? "rose" : "fell";
  return sign.endsWith("=") ? `${verb} ${size} % or more` : `${verb} more than ${size} %`;
}

function parsePart<Field extends string>(
  part: string,
  fields: readonly Field[],
): { field: Field; comparison: ColumnComparison; holds: Condition<Field>["holds"] } {
  const match = /^([\w-]+?)\s*(<=|>=|<|>|=)\s*([-+]?\d+(?:\.\d+)?)\s*%?$/.exec(part);
  if (match === null) {
    throw valueError(
      "--fail-if",
      part,
      "is not a condition; write a field, one of < <= > >= = and a number: percent < -20.",
    );
  }
  const [, name = "", sign = "", number = ""] = match;
  const field = fields.find((known) => known === name);
  if (field === undefined) {
    throw new UsageError(`--fail-if has no field ${quoted(name)}; the fields are ${fields.join(", ")}.`, {
      flag: "--fail-if",
      value: name,
      suggestions: closest(name, fields),
    });
  }
  const compare = COMPARISONS[sign as keyof typeof COMPARISONS];
  const holds: Condition<Field>["holds"] = (row) => {
    const value = row[field];
    return value !== undefined && value !== null && compare(value, Number(number));
  };
  return { field, comparison: { column: field, operator: sign as ColumnComparison["operator"], number }, holds };
}
