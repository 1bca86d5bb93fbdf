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

/** A condition of `--fail-if`. Questions evaluate its `comparisons` in SQL, everything else calls `isMetBy`. */
export interface Condition<Field extends string> {
  /** As typed. */
  text: string;
  /** The fields that it compares. */
  fields: readonly Field[];
  /** Its parts; all of them must be true. */
  comparisons: readonly ColumnComparison[];
  /** Whether a row meets the condition. Comparisons with missing values are false. */
  isMetBy(row: Readonly<Partial<Record<Field, number | null | undefined>>>): boolean;
}

/** @throws UsageError naming the malformed part or the unknown field */
export function parseCondition<Field extends string>(text: string, fields: readonly Field[]): Condition<Field> {
  const parts = text.split(/\s+and\s+/i).map((part) => parsePart(part.trim(), fields));
  return {
    text,
    fields: parts.map(({ field }) => field),
    comparisons: parts.map(({ comparison }) => comparison),
    isMetBy: (row) => parts.every((part) => part.isMetBy(row)),
  };
}

/**
 * @param names of what meets the condition, such as `retailer sku`
 * @param noun for one of them
 * @throws ConditionHoldsError if there are any
 */
export function failIfAnyMatch({ text }: Condition<string>, names: readonly string[], noun: string): void {
  if (names.length > 0) {
    throw new ConditionHoldsError(matchText(text, names, noun));
  }
}

/** Describes what meets a condition: `3 products fell more than 20 %: …`. */
function matchText(text: string, names: readonly string[], noun: string): string {
  const matches = plural(names.length, noun);
  const moved = movementOf(text);
  const what = moved === undefined ? `${text} holds for ${matches}` : `${matches} ${moved}`;
  return `${what}: ${firstFew(names, MAX_NAMED)}`;
}

/** Maximum number of names in an error. */
const MAX_NAMED = 3;

/** Describes a condition on `percent` as a price movement: `fell more than 20 %`. */
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
): { field: Field; comparison: ColumnComparison; isMetBy: Condition<Field>["isMetBy"] } {
  const match = /^([\w-]+?)\s*(<=|>=|<|>|=)\s*([-+]?\d{1,20}(?:\.\d{1,12})?)\s*%?$/.exec(part);
  if (match === null) {
    throw valueError(
      "--fail-if",
      part,
      "is not a condition; write a field, one of < <= > >= = and a number (up to 20 digits, 12 decimals): percent < -20.",
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
  const isMetBy: Condition<Field>["isMetBy"] = (row) => {
    const value = row[field];
    return value !== undefined && value !== null && compare(value, Number(number));
  };
  return { field, comparison: { column: field, operator: sign as ColumnComparison["operator"], number }, isMetBy };
}
