import { distance } from "fastest-levenshtein";
import { ApiError, FileError, NotFoundError, UsageError } from "../../contract/errors.ts";
import { FILTER_NAMES, flagOf } from "../../contract/filters.ts";
import { API_KEY_LENGTH } from "../../contract/limits.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";

/** A wrong value, and the command line with the best suggestion in its place. */
export interface Correction {
  value: string;
  /** Undefined if no suggestion is close to the value. */
  command: string[] | undefined;
}

/**
 * Puts the best suggestion of an error into the command line that caused it.
 *
 * @returns undefined if the error has no suggestions, or names nothing on the command line
 */
export function correct(argv: readonly string[], error: unknown): Correction | undefined {
  const correction = misspeltWord(argv, error) ?? wrongValueIn(argv, error);
  return correction && { ...correction, command: correction.command?.map(withoutSecret) };
}

export const SERVICE_FLAGS = ["--base-url", "--profile"];

/**
 * Makes the `catalog coverage` command that an error text recommends ask about the same service and retailer as `argv`.
 *
 * @param text may contain `--retailer SLUG`, where SLUG stands for the retailer
 */
export function withServiceFlags(text: string, argv: readonly string[]): string {
  const service = SERVICE_FLAGS.flatMap((flag) => typedValues(argv, flag).map(({ value }) => [flag, value]));
  const kept = [...(argv.includes("--demo") ? ["--demo"] : []), ...service.flat().map(withoutSecret)];
  const [retailer = "", ...others] = typedValues(argv, "--retailer").map(({ value }) => value);
  const isOne = retailer !== "" && !retailer.includes(",") && others.length === 0;
  return text
    .replace("catalog coverage", () => quoteCommand(["catalog", "coverage", ...kept]))
    .replace("--retailer SLUG", (slug) => (isOne ? quoteCommand(["--retailer", retailer]) : slug));
}

/** Hides keys and passwords, which a user may have typed although no flag takes them. */
function withoutSecret(argument: string): string {
  const isKey = new RegExp(`(^|=)[\\w-]{${API_KEY_LENGTH}}$`).test(argument);
  return isKey ? argument.replace(/[^=]*$/, "…") : argument.replace(/:[^:/@]*@/, ":…@");
}

/** Replaces a wrong value of a flag or a wrong part of its comma list; of several, the one closest to the suggestion. */
function wrongValueIn(argv: readonly string[], error: unknown): Correction | undefined {
  const { flag, suggestions: [best] = [], isWrong } = wrongValueOf(error) ?? {};
  if (flag === undefined || best === undefined || isWrong === undefined) {
    return undefined;
  }
  const [at] = typedValues(argv, flag)
    .flatMap((typed) => [typed.value, ...typed.value.split(",")].map((part) => ({ ...typed, part })))
    .filter(({ part }) => isWrong(part.trim()))
    .map((typed) => ({ ...typed, edits: distance(typed.part, best) }))
    .sort((a, b) => a.edits - b.edits);
  if (at === undefined) {
    return undefined;
  }
  if (error instanceof ApiError && closest(at.part, [best]).length === 0) {
    // If no value is close, the service suggests arbitrary valid ones.
    return { value: at.part, command: undefined };
  }
  // In a comma list, only the wrong part is replaced, and duplicates are removed.
  const parts = at.part === at.value ? [at.part] : at.value.split(",");
  const corrected = new Set(parts.map((part) => (part === at.part ? best : part)));
  const command = argv.map((argument, index) =>
    index === at.index ? `${at.prefix}${[...corrected].join(",")}` : argument,
  );
  return { value: at.part, command: ["catalog", ...command] };
}

/** The flag that an error is about, its suggestions, and a test for the wrong one among its values. */
function wrongValueOf(error: unknown) {
  if (error instanceof UsageError) {
    const { flag, value, suggestions } = error;
    const isWrong = (typed: string) => (value === undefined ? !typed.includes(",") : typed === value);
    return { flag, suggestions, isWrong };
  }
  if (error instanceof ApiError) {
    const { field, valid_options: suggestions = [] } = error.problem;
    const name = FILTER_NAMES.find((filter) => filter === field);
    const isWrong = (typed: string) => !typed.includes(",") && !suggestions.includes(typed);
    return { flag: name && flagOf(name), suggestions, isWrong };
  }
  return undefined;
}

const SHORT: Readonly<Record<string, string>> = { "--output": "-o", "--format": "-f" };

/** The values of a flag, with the index of their argument; `prefix` is `--flag=` if that argument includes the flag. */
function typedValues(argv: readonly string[], flag: string): { index: number; prefix: string; value: string }[] {
  return argv.flatMap((argument, index) => {
    if (argument.startsWith(`${flag}=`)) {
      return [{ index, prefix: `${flag}=`, value: argument.slice(flag.length + 1) }];
    }
    const next = argv[index + 1];
    return (argument === flag || argument === SHORT[flag]) && next !== undefined
      ? [{ index: index + 1, prefix: "", value: next }]
      : [];
  });
}

function misspeltWord(argv: readonly string[], error: unknown): Correction | undefined {
  const { value, suggestions: [best] = [] } = wrongWordOf(error) ?? {};
  if (value === undefined) {
    return undefined;
  }
  const isWrong = (argument: string) => argument === value || argument.startsWith(`${value}=`);
  const index = argv.findIndex(isWrong);
  // Of two equal words, the other one may be the value of a flag.
  if (index === -1 || argv.slice(index + 1).some(isWrong) || best === undefined) {
    return undefined;
  }
  // The suggestion may be two words: `auth login`. A sku or a path with a space is one.
  const isOne = error instanceof FileError || error instanceof NotFoundError;
  const words = isOne ? [best] : best.split(" ");
  const corrected = (argument: string) => (best.startsWith("-") ? [argument.replace(value, () => best)] : words);
  const command = argv.flatMap((argument, at) => (at === index ? corrected(argument) : argument));
  return { value, command: ["catalog", ...command] };
}

/** The word that is no value of a flag which an error is about, and what may be meant instead. */
function wrongWordOf(error: unknown) {
  if (error instanceof FileError) {
    return { value: error.path, suggestions: error.suggestions };
  }
  return error instanceof UsageError && error.flag === undefined ? error : undefined;
}
