import { editDistance } from "../contract/edit-distance.ts";
import { FILTER_NAMES } from "../contract/filters.ts";
import { API_KEY_LENGTH } from "../contract/limits.ts";
import { ApiError, UsageError } from "../errors.ts";
import { FLAG_OF_FILTER } from "./flags/filter.ts";

/** What a command line got wrong, and the command line with the best suggestion in its place. */
export interface Correction {
  /** The value at fault, as typed. */
  value: string;
  command: string[];
}

/**
 * Puts a command line right after an error that offers suggestions.
 *
 * @returns undefined where the error names no flag of the command line or offers no value
 */
export function correct(argv: readonly string[], error: unknown): Correction | undefined {
  const correction = corrected(argv, error);
  return correction && { ...correction, command: correction.command.map(withoutSecret) };
}

/** No flag takes a key or a password, but somebody may have tried. */
function withoutSecret(argument: string): string {
  const isKey = new RegExp(`(^|=)[\\w-]{${API_KEY_LENGTH}}$`).test(argument);
  return isKey ? argument.replace(/[^=]*$/, "…") : argument.replace(/:[^:/@]*@/, ":…@");
}

function corrected(argv: readonly string[], error: unknown): Correction | undefined {
  const misspelt = misspeltWord(argv, error);
  if (misspelt !== undefined) {
    return misspelt;
  }
  const fault = faultOf(error);
  const at = fault && locate(argv, fault.flag, fault.value, fault.best);
  if (fault === undefined || at === undefined) {
    return undefined;
  }
  const parts = at.value.split(",");
  // In a comma list only the faulty part is replaced.
  const faulty =
    fault.value ?? [...parts].sort((a, b) => editDistance(a, fault.best) - editDistance(b, fault.best))[0] ?? "";
  const mended = parts.map((part) => (part === faulty ? fault.best : part)).join(",");
  const command = argv.map((argument, index) => (index === at.index ? `${at.prefix}${mended}` : argument));
  return { value: faulty, command: ["catalog", ...command] };
}

/** A flag or command that does not exist is itself the word to replace. */
function misspeltWord(argv: readonly string[], error: unknown): Correction | undefined {
  if (!(error instanceof UsageError) || error.flag !== undefined || error.value === undefined) {
    return undefined;
  }
  const { value, suggestions } = error;
  const index = argv.findIndex((argument) => argument === value || argument.startsWith(`${value}=`));
  const [best] = suggestions;
  if (index === -1 || best === undefined) {
    return undefined;
  }
  // The name of a command may be two words: `auth login`.
  const mended = (argument: string) => (best.startsWith("-") ? [argument.replace(value, () => best)] : best.split(" "));
  const command = argv.flatMap((argument, at) => (at === index ? mended(argument) : argument));
  return { value, command: ["catalog", ...command] };
}

interface Fault {
  flag: string;
  /** The faulty value, where the error names it. */
  value: string | undefined;
  best: string;
}

function faultOf(error: unknown): Fault | undefined {
  if (error instanceof UsageError) {
    const [best] = error.suggestions;
    return error.flag === undefined || best === undefined ? undefined : { flag: error.flag, value: error.value, best };
  }
  if (error instanceof ApiError) {
    const name = FILTER_NAMES.find((filter) => filter === error.problem.field);
    const best = error.problem.valid_options?.[0];
    return name === undefined || best === undefined
      ? undefined
      : { flag: FLAG_OF_FILTER[name], value: undefined, best };
  }
  return undefined;
}

interface Place {
  index: number;
  /** `--flag=` where flag and value are one argument. */
  prefix: string;
  value: string;
}

/** Where the flag's value stands; of several the one nearest to the suggestion. */
function locate(argv: readonly string[], flag: string, value: string | undefined, best: string): Place | undefined {
  const places = argv.flatMap((argument, index): Place[] => {
    if (argument.startsWith(`${flag}=`)) {
      return [{ index, prefix: `${flag}=`, value: argument.slice(flag.length + 1) }];
    }
    const next = argv[index + 1];
    return argument === flag && next !== undefined ? [{ index: index + 1, prefix: "", value: next }] : [];
  });
  const named = value === undefined ? places : places.filter((place) => place.value.split(",").includes(value));
  return named.sort((a, b) => nearest(a.value, best) - nearest(b.value, best))[0];
}

function nearest(list: string, best: string): number {
  return Math.min(...list.split(",").map((part) => editDistance(part, best)));
}
