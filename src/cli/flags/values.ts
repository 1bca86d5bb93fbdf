import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { type DateExpression, isDateExpression } from "../../contract/values/date-expression.ts";
import { DAY } from "../../contract/values/day-arithmetic.ts";
import { quoted } from "../../contract/values/phrases.ts";

/** Declares flags on a command, whatever flags and operands it has already. */
type FlagSet<Own extends OptionValues, Words extends unknown[]> = <
  Operands extends unknown[],
  Earlier extends OptionValues,
>(
  command: Command<Operands, Earlier>,
  ...words: Words
) => Command<Operands, Earlier & Own>;

/** Makes a set of flags from a function that declares them on a command without any. */
export function flagSet<Own extends OptionValues, Words extends unknown[]>(
  add: (command: Command, ...words: Words) => Command<[], Own>,
): FlagSet<Own, Words> {
  return (command, ...words) => add(command as unknown as Command, ...words) as never;
}

/** The flags that a set or function declares, as the action of a command gets them. */
export type FlagsOf<Add> =
  Add extends FlagSet<infer Own, infer _Words>
    ? Own
    : Add extends (...parameters: never[]) => Command<infer _Operands, infer Flags>
      ? Flags
      : never;

/** Parses the value of a flag. Throws a UsageError that names the flag and the value. */
type Parser<Value> = (text: string) => Value;

const MILLISECONDS = new Map(Object.entries({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: DAY }));

const BYTES = new Map(Object.entries({ B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }));

/** Parses a duration such as `500ms`, `30s`, `2m`, `1h` or `7d` into milliseconds. */
export function duration(flag: string, minimum: 0 | 1 = 1): Parser<number> {
  return withUnit(flag, MILLISECONDS, "is not a duration; write a number and a unit: 500ms, 30s, 2m, 1h, 7d", minimum);
}

/** Parses a size such as `500KiB`, `64MiB` or `4GiB` into bytes, at least 1. */
export function size(flag: string): Parser<number> {
  return withUnit(flag, BYTES, "is not a size; write a number and a unit: 500KiB, 64MiB, 4GiB");
}

function withUnit(flag: string, units: ReadonlyMap<string, number>, flaw: string, minimum = 1): Parser<number> {
  return (text) => {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text) ?? [];
    const value = Math.round(Number(number) * (units.get(unit) ?? Number.NaN));
    if (!Number.isSafeInteger(value)) {
      throw valueError(flag, text, `${flaw}.`);
    }
    if (value < minimum) {
      const [smallest] = units.keys();
      throw valueError(flag, text, `is too small; write at least ${minimum}${smallest}.`);
    }
    return value;
  };
}

/** Parses a number of days such as `14d`. */
export function dayCount(flag: string): Parser<number> {
  return (text) => {
    const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
    if (days === undefined) {
      throw valueError(flag, text, "is not a number of days; write 0d to 99999d, such as 14d.");
    }
    return Number(days);
  };
}

export function wholeNumber(flag: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): Parser<number> {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value) || value < minimum || value > maximum) {
      const bounds = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
      throw valueError(flag, text, `is not a whole number ${bounds}.`);
    }
    return value;
  };
}

const DATE_WORDS = ["today", "yesterday", "latest"];

/** @param bookmarks how to write what the flag takes besides days, and the words to suggest for it */
export function dateExpression(
  flag: string,
  bookmarks?: { written: string; words: readonly string[] },
): Parser<DateExpression> {
  const written = ["YYYY-MM-DD, today, yesterday, 7d (seven days ago), latest or latest-7d (UTC)", bookmarks?.written];
  return (text) => {
    if (!isDateExpression(text)) {
      const what = /^\d{4}-\d{2}-\d{2}$/.test(text) ? "is not in the calendar" : "is not a date";
      throw valueError(
        flag,
        text,
        `${what}; write ${written.filter((part) => part !== undefined).join(", or ")}.`,
        suggestedDates(text, bookmarks?.words ?? DATE_WORDS),
      );
    }
    return text;
  };
}

/** Adds a missing `d`, or corrects a misspelt word. No word is suggested for a text with digits: it would be another day. */
function suggestedDates(text: string, words: readonly string[]): string[] {
  if (/^(latest-)?\d{1,3}$/.test(text)) {
    return [`${text}d`];
  }
  return /\d/.test(text) ? [] : closest(text, words, 1);
}

/**
 * @param name the flag, or `the` and the name of an operand
 * @throws UsageError with the closest choices if the value is none of them
 */
export function checkChoice<Choice extends string>(value: string, choices: readonly Choice[], name: string): Choice {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) {
    throw new UsageError(`${name} ${quoted(value)} is not one of ${choices.join(", ")}.`, {
      ...(name.startsWith("--") && { flag: name }),
      value,
      suggestions: closest(value, choices),
    });
  }
  return choice;
}

/** An option with known names as values, which completion offers: one, or a comma list. The command checks them. */
export class NamesOption<Usage extends string> extends Option<Usage> {
  readonly names: readonly string[];
  readonly isList: boolean;

  constructor(flags: Usage, description: string, names: readonly string[], { isList = true } = {}) {
    super(flags, description);
    this.names = names;
    this.isList = isList;
  }
}

export function onlyOption<Kind extends string>(kinds: readonly Kind[]) {
  const description = `only these kinds, a comma list of ${kinds.join(", ")}`;
  return new NamesOption("--only <kinds>", description, kinds).argParser((text) =>
    text.split(",").map((part) => checkChoice(part.trim(), kinds, "--only")),
  );
}

export function formatOption<const Formats extends readonly string[]>(formats: Formats, byDefault: string) {
  return new Option("-f, --format <format>", `format of the output (default: ${byDefault})`).choices(formats);
}

export function collectValues(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

export function flagError(flag: string, wrong: string): UsageError {
  return new UsageError(`${flag} ${wrong}`, { flag });
}

export function valueError(
  flag: string,
  value: string,
  wrong: string,
  suggestions: readonly string[] = [],
): UsageError {
  return new UsageError(`${flag} ${quoted(value)} ${wrong}`, { flag, value, suggestions });
}
