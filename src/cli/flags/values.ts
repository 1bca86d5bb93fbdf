import { Option } from "commander";
import { closest } from "../../contract/values/closest.ts";
import { type DateExpression, isDateExpression } from "../../contract/values/date-expression.ts";
import { DAY } from "../../contract/values/day-arithmetic.ts";
import { UsageError } from "../../errors.ts";

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: DAY } as const;

/**
 * Reads a duration such as `500ms`, `30s`, `2m`, `1h` or `7d`.
 *
 * @returns milliseconds, at least 1.
 * @throws UsageError naming the flag and the value.
 */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  const milliseconds = match === null ? 0 : Math.round(Number(match[1]) * MILLISECONDS[match[2] as "ms"]);
  if (milliseconds < 1 || !Number.isSafeInteger(milliseconds)) {
    throw new UsageError(`${flag} ${quoted(text)} is not a duration; write a number and a unit: 500ms, 30s, 2m, 1h.`, {
      flag,
      value: text,
    });
  }
  return milliseconds;
}

const BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/**
 * Reads a size such as `500KiB`, `64MiB` or `4GiB`.
 *
 * @returns bytes, at least 1.
 * @throws UsageError naming the flag and the value.
 */
export function parseSize(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(B|KiB|MiB|GiB)$/.exec(text);
  const bytes = match === null ? 0 : Math.round(Number(match[1]) * BYTES[match[2] as "B"]);
  if (bytes < 1 || !Number.isSafeInteger(bytes)) {
    throw new UsageError(`${flag} ${quoted(text)} is not a size; write a number and a unit: 500KiB, 64MiB, 4GiB.`, {
      flag,
      value: text,
    });
  }
  return bytes;
}

/**
 * Reads a whole number within bounds.
 *
 * @throws UsageError naming the flag, the value and the bounds.
 */
export function parseWhole(text: string, flag: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < minimum || value > maximum) {
    const bounds = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
    throw new UsageError(`${flag} ${quoted(text)} is not a whole number ${bounds}.`, { flag, value: text });
  }
  return value;
}

const DATE_WORDS = ["today", "yesterday", "latest"];

/**
 * Checks that a text names a day, and returns it unchanged.
 *
 * @throws UsageError naming the flag and the value.
 */
export function checkDate(text: string, flag: string): DateExpression {
  if (!isDateExpression(text)) {
    const what = /^\d{4}-\d{2}-\d{2}$/.test(text) ? "is not in the calendar" : "is not a date";
    throw new UsageError(
      `${flag} ${quoted(text)} ${what}; write YYYY-MM-DD, today, yesterday, 7d (seven days ago), latest or latest-7d (UTC).`,
      { flag, value: text, suggestions: closest(text, DATE_WORDS, 1) },
    );
  }
  return text;
}

/**
 * Reads a comma list of kinds, as `--only` takes it.
 *
 * @throws UsageError naming the part that is not one of `kinds`
 */
export function parseKinds<Kind extends string>(text: string, kinds: readonly Kind[]): Kind[] {
  return text.split(",").map((part) => {
    const kind = kinds.find((known) => known === part.trim());
    if (kind === undefined) {
      throw new UsageError(`--only ${quoted(part)} is not a kind; the kinds are ${kinds.join(", ")}.`, {
        flag: "--only",
        value: part,
        suggestions: closest(part, kinds),
      });
    }
    return kind;
  });
}

/** Declares `--format`. */
export function formatOption(formats: readonly string[], byDefault: string): Option {
  return new Option("-f, --format <format>", `format of the output (default: ${byDefault})`).choices(formats);
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** A value for an error message: quoted, shortened, and without control characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
