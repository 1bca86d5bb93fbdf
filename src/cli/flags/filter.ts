import { Option } from "@commander-js/extra-typings";
import { UsageError } from "../../contract/errors.ts";
import { parseRcd } from "../../contract/filters.ts";
import { isFromLatest } from "../../contract/values/date-expression.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { resolveDays, type WrittenFilters } from "../../pull/written-filters.ts";
import { collectValues, dateExpression, type FlagsOf, flagError, flagSet, valueError } from "./values.ts";

export type FilterFlags = FlagsOf<typeof addFilterFlags>;
export type BrandFlags = FlagsOf<typeof addBrandFlag>;
export type SkusFlags = FlagsOf<typeof addSkusFlag>;

const SLUG_FLAGS = ["retailer", "category", "department"] as const;

/** Declares the flags of the six shared filters (contract section 4.1). */
export const addFilterFlags = flagSet((command) =>
  addVocabularyFlags(command)
    .optionsGroup("Filters:")
    .option(
      "--start-date <date>",
      "crawled on or after this day (UTC): YYYY-MM-DD, today, yesterday, 7d (seven days ago), latest (the newest day of each retailer) or latest-7d",
      dateExpression("--start-date"),
    )
    .option("--end-date <date>", "crawled on or before this day", dateExpression("--end-date"))
    .option("--date <date>", "crawled on this day; sets both --start-date and --end-date", dateExpression("--date"))
    .optionsGroup("Options:"),
);

/** Declares the filter flags without dates, for commands with their own flags for days. */
export const addVocabularyFlags = flagSet((command) => {
  const list = <Usage extends string>(flags: Usage, description: string) =>
    new Option(flags, description).argParser(collectValues);
  return command
    .optionsGroup("Filters:")
    .addOption(
      list(
        "--retailer <slug>",
        "only these retailers (repeatable, or a comma list); `catalog coverage` lists the slugs",
      ),
    )
    .addOption(list("--category <slug>", "only these categories (repeatable, or a comma list)"))
    .addOption(list("--department <slug>", "only these departments (repeatable, or a comma list)"))
    .addOption(
      list("--rcd <r:c:d>", "only these retailer:category:department combinations (repeatable, or a comma list)"),
    )
    .optionsGroup("Options:");
});

export const addSkusFlag = flagSet((command, which: string = "only the products of a list") =>
  command.option(
    "--skus <file>",
    `${which}: CSV with the column sku and, optionally, retailer, target_price and note; - reads standard input`,
  ),
);

/** Declares `--brand` for commands that read a synced folder; the API has no such filter. */
export const addBrandFlag = flagSet((command) => {
  const flag = new Option("--brand <name>", "only these brands, ignoring case; synced folders only (repeatable)");
  return command.optionsGroup("Filters:").addOption(flag.argParser(collectValues)).optionsGroup("Options:");
});

/** @throws UsageError if brands are given without a folder, or one of them is empty */
export function checkBrands(brand: readonly string[] | undefined, hasFolder: boolean): void {
  if (brand !== undefined && !hasFolder) {
    throw flagError("--brand", "is not a filter of the API; it needs a folder of `catalog sync`, such as rows.");
  }
  if (brand?.some((name) => name.trim() === "")) {
    throw flagError("--brand", "is empty; name a brand, or leave the flag out to match all.");
  }
}

/**
 * Checks the filter flags. `resolveFilters` turns the result into filters of the API.
 *
 * @param now milliseconds since the epoch
 * @throws UsageError naming flag and value
 */
export function parseFilters(flags: FilterFlags, now: number): WrittenFilters {
  const filters: WrittenFilters = {};
  for (const name of SLUG_FLAGS) {
    if (flags[name] !== undefined) {
      filters[name] = splitValues(flags[name], `--${name}`, `name a ${name}, or leave the flag out to match all`);
    }
  }
  if (flags.rcd !== undefined) {
    filters.rcd = parseTriples(flags.rcd, flags);
  }
  return { ...filters, ...parseDates(flags, now) };
}

/**
 * The values of a repeatable flag that accepts comma lists, without duplicates.
 *
 * @throws UsageError if one is empty
 */
export function splitValues(values: readonly string[], flag: string, remedy: string): string[] {
  const parts = values.flatMap((value) => value.split(",")).map((part) => part.trim());
  const empty = values.find((value) => value.split(",").some((part) => part.trim() === ""));
  if (empty !== undefined) {
    const what = empty.trim() === "" ? "is empty" : `${quoted(empty)} has an empty value`;
    throw new UsageError(`${flag} ${what}; ${remedy}.`, { flag, value: empty });
  }
  return [...new Set(parts)];
}

function parseTriples(values: readonly string[], flags: FilterFlags): string[] {
  const other = SLUG_FLAGS.find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    throw flagError(
      "--rcd",
      `cannot be combined with --${other}: the API does not say how they combine. Use one or the other.`,
    );
  }
  const triples = splitValues(values, "--rcd", "name a combination, or leave the flag out to match all");
  for (const triple of triples) {
    if (parseRcd(triple) === undefined) {
      throw valueError(
        "--rcd",
        triple,
        "is not retailer:category:department; `catalog coverage` lists every combination.",
      );
    }
  }
  return triples;
}

function parseDates(flags: FilterFlags, now: number): Pick<WrittenFilters, "start_date" | "end_date"> {
  const { date, startDate, endDate } = flags;
  if (date !== undefined) {
    const other = startDate !== undefined ? "--start-date" : endDate !== undefined ? "--end-date" : undefined;
    if (other !== undefined) {
      throw flagError("--date", `cannot be combined with ${other}: it sets both --start-date and --end-date.`);
    }
    return { start_date: date, end_date: date };
  }
  const days = {
    ...(startDate !== undefined && { start_date: startDate }),
    ...(endDate !== undefined && { end_date: endDate }),
  };
  if (!Object.values(days).some(isFromLatest)) {
    // Refuses wrong dates before any request.
    resolveDays(days, now);
  }
  return days;
}
