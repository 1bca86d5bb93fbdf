import { closest } from "../../contract/closest.ts";
import { editDistance } from "../../contract/edit-distance.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import { API_KEY_LENGTH } from "../../contract/limits.ts";
import { ApiError, UsageError } from "../../errors.ts";
import { FLAG_OF_FILTER } from "../flags/filter.ts";

/** A wrong value, and the command line with the best suggestion in its place. */
export interface Correction {
  /** The wrong value, as typed. */
  value: string;
  /** Undefined if no suggestion is close to the value. */
  command: string[] | undefined;
}

/**
 * Corrects a command line after an error that has suggestions.
 *
 * @returns undefined if the error names no flag of the command line or has no suggestion
 */
export function correct(argv: readonly string[], error: unknown): Correction | undefined {
  const correction = corrected(argv, error);
  return correction && { ...correction, command: correction.command?.map(withoutSecret) };
}

/** Hides keys and passwords. No flag takes one, but a user may have tried. */
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
  const at = fault && locate(argv, fault);
  if (fault === undefined || at === undefined) {
    return undefined;
  }
  if (error instanceof ApiError && closest(at.faulty, [fault.best]).length === 0) {
    // If no value is close, the service lists some of the valid values.
    return { value: at.faulty, command: undefined };
  }
  // In a comma list only the wrong part is replaced, and no value appears twice.
  const parts = at.faulty === at.value ? [at.faulty] : at.value.split(",");
  const mended = new Set(parts.map((part) => (part === at.faulty ? fault.best : part)));
  const command = argv.map((argument, index) =>
    index === at.index ? `${at.prefix}${[...mended].join(",")}` : argument,
  );
  return { value: at.faulty, command: ["catalog", ...command] };
}

/** Replaces an unknown flag or command. */
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
  best: string;
  /** Whether a value of the flag may be the wrong one. */
  isFaulty(value: string): boolean;
}

function faultOf(error: unknown): Fault | undefined {
  if (error instanceof UsageError) {
    const { flag, value, suggestions } = error;
    const [best] = suggestions;
    const isFaulty = (typed: string) => (value === undefined ? !typed.includes(",") : typed === value);
    return flag === undefined || best === undefined ? undefined : { flag, best, isFaulty };
  }
  if (error instanceof ApiError) {
    const { field, valid_options = [] } = error.problem;
    const name = FILTER_NAMES.find((filter) => filter === field);
    const [best] = valid_options;
    const isFaulty = (typed: string) => !typed.includes(",") && !valid_options.includes(typed);
    return name === undefined || best === undefined ? undefined : { flag: FLAG_OF_FILTER[name], best, isFaulty };
  }
  return undefined;
}

interface Place {
  index: number;
  /** `--flag=` if flag and value are one argument. */
  prefix: string;
  value: string;
  /** The part of the comma list to replace. */
  faulty: string;
}

/** The short forms of flags whose values are corrected. */
const SHORT: Readonly<Record<string, string>> = { "--output": "-o", "--format": "-f" };

/** Finds the wrong value; of several candidates, the one closest to the suggestion. */
function locate(argv: readonly string[], { flag, best, isFaulty }: Fault): Place | undefined {
  const distance = ({ faulty }: Place) => editDistance(faulty, best);
  const values = argv.flatMap((argument, index): Omit<Place, "faulty">[] => {
    if (argument.startsWith(`${flag}=`)) {
      return [{ index, prefix: `${flag}=`, value: argument.slice(flag.length + 1) }];
    }
    const next = argv[index + 1];
    return (argument === flag || argument === SHORT[flag]) && next !== undefined
      ? [{ index: index + 1, prefix: "", value: next }]
      : [];
  });
  return values
    .flatMap((place) => [place.value, ...place.value.split(",")].map((faulty) => ({ ...place, faulty })))
    .filter(({ faulty }) => isFaulty(faulty.trim()))
    .sort((a, b) => distance(a) - distance(b))[0];
}
