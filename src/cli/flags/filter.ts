import type { Command } from "commander";
import { type FilterName, type Filters, parseRcd } from "../../contract/filters.ts";
import { UsageError } from "../../errors.ts";
import { parseDate, quoted } from "./values.ts";

/** The filter flags as typed. */
export interface FilterFlags {
  retailer?: string;
  category?: string;
  department?: string;
  rcd?: string[];
  startDate?: string;
  endDate?: string;
  date?: string;
}

const SLUG_FLAGS = ["retailer", "category", "department"] as const;

/** The flag that sets a filter, for naming it in an error. */
export const FLAG_OF_FILTER: Record<FilterName, string> = {
  retailer: "--retailer",
  category: "--category",
  department: "--department",
  rcd: "--rcd",
  start_date: "--start-date",
  end_date: "--end-date",
};

/** Declares the flags of the six shared filters (contract section 4.1) on a command. */
export function addFilterFlags(command: Command): Command {
  return addVocabularyFlags(command)
    .optionsGroup("Filters:")
    .option("--start-date <date>", "crawled on or after this day: YYYY-MM-DD, today, yesterday, or 7d (UTC)")
    .option("--end-date <date>", "crawled on or before this day")
    .option("--date <date>", "crawled on this day: --start-date and --end-date at once")
    .optionsGroup("Options:");
}

/** Declares the flags of the filters other than dates, for a command with days of its own. */
export function addVocabularyFlags(command: Command): Command {
  return command
    .optionsGroup("Filters:")
    .option("--retailer <slug>", "only this retailer; `catalog coverage` lists the slugs")
    .option("--category <slug>", "only this category")
    .option("--department <slug>", "only this department")
    .option("--rcd <r:c:d...>", "only these retailer:category:department combinations; repeatable, or a comma list")
    .optionsGroup("Options:");
}

/**
 * Turns the flags into the shared filters, complete and checked.
 *
 * @param now milliseconds since the epoch, for the date words
 * @throws UsageError naming flag and value
 */
export function parseFilters(flags: FilterFlags, now: number): Filters {
  const filters: Filters = {};
  for (const name of SLUG_FLAGS) {
    const value = flags[name];
    if (value !== undefined) {
      filters[name] = checkedSlug(value, `--${name}`);
    }
  }
  if (flags.rcd !== undefined) {
    filters.rcd = parseTriples(flags.rcd, flags);
  }
  return { ...filters, ...parseDates(flags, now) };
}

function checkedSlug(value: string, flag: string): string {
  if (value.trim() === "") {
    throw new UsageError(`${flag} is empty; name a ${flag.slice(2)}, or leave the flag out to match all.`, {
      flag,
      value,
    });
  }
  return value;
}

function parseTriples(values: readonly string[], flags: FilterFlags): string {
  const other = SLUG_FLAGS.find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    throw new UsageError(
      `--rcd cannot be combined with --${other}: the API does not say how they combine. Use one or the other.`,
      { flag: "--rcd" },
    );
  }
  const triples = values.flatMap((value) => value.split(","));
  for (const triple of triples) {
    if (parseRcd(triple) === undefined) {
      throw new UsageError(
        `--rcd ${quoted(triple)} is not retailer:category:department; \`catalog coverage\` lists every combination.`,
        { flag: "--rcd", value: triple },
      );
    }
  }
  return [...new Set(triples)].join(",");
}

function parseDates(flags: FilterFlags, now: number): Pick<Filters, "start_date" | "end_date"> {
  if (flags.date !== undefined) {
    const other =
      flags.startDate !== undefined ? "--start-date" : flags.endDate !== undefined ? "--end-date" : undefined;
    if (other !== undefined) {
      throw new UsageError(
        `--date cannot be combined with ${other}: it stands for --start-date and --end-date at once.`,
        {
          flag: "--date",
        },
      );
    }
    const day = parseDate(flags.date, "--date", now);
    return { start_date: day, end_date: day };
  }
  const start = flags.startDate === undefined ? undefined : parseDate(flags.startDate, "--start-date", now);
  const end = flags.endDate === undefined ? undefined : parseDate(flags.endDate, "--end-date", now);
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(
      `--start-date ${start} is after --end-date ${end}; the first day must not be later than the last.`,
      {
        flag: "--start-date",
        value: flags.startDate ?? start,
      },
    );
  }
  return { ...(start === undefined ? {} : { start_date: start }), ...(end === undefined ? {} : { end_date: end }) };
}
