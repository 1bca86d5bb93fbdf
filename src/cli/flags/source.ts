import { type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { DEFAULT_CONCURRENCY } from "../../pull/walkers.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import type { Context } from "../context.ts";
import { type BrandFlags, checkBrands, type FilterFlags, parseFilters } from "./filter.ts";
import { type GlobalOptions, parseGlobals } from "./global.ts";
import { type FlagsOf, flagError, flagSet, wholeNumber } from "./values.ts";

/** The rows that a command reads: from the configured service, unless it takes a folder. */
export interface SourceOptions {
  globals: GlobalOptions;
  demo: boolean;
  /** As typed: days may be relative. */
  filters: WrittenFilters;
}

/** The rows of a folder of `catalog sync` that a command reads. */
export interface FolderOptions extends SourceOptions {
  /** A path; undefined for the current folder or, if the command can read a service, for the service. */
  folder: string | undefined;
  /** Matched in any letter case; undefined for all. */
  brands: readonly string[] | undefined;
}

type SourceFlags = FilterFlags & FlagsOf<typeof addDemoFlag>;

export type FolderFlags = SourceFlags & BrandFlags;

/** @throws UsageError for wrong filters or contradicting global options */
export function parseSource(
  command: CommandUnknownOpts,
  flags: SourceFlags,
  context: Pick<Context, "now">,
): SourceOptions {
  const filters = parseFilters(flags, context.now());
  return { globals: parseGlobals(command), demo: flags.demo === true, filters };
}

/** Like `parseSource`, for commands that only read folders. */
export function parseFolderSource(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: FolderFlags,
  context: Pick<Context, "now">,
): FolderOptions {
  checkBrands(flags.brand, true);
  return { ...parseSource(command, flags, context), folder, brands: flags.brand };
}

export const addReadFlags = flagSet((command) =>
  addDemoFlag(command.option("--fail-on-empty", "exit with 7 if nothing matches")),
);

export const addRecheckFlag = flagSet((command) =>
  command.option(
    "--recheck <percent>",
    "share of the pages to read again at the end, those of an interrupted run first, if the service reports no data version (default: 1, at least 4 pages)",
    wholeNumber("--recheck", 0, 100),
  ),
);

export const addDemoFlag = flagSet((command) =>
  command.option("--demo", "use a generated data set; needs neither key nor configuration"),
);

export const addPullFlags = flagSet((command) => {
  const concurrency = wholeNumber("--concurrency", 1, 64);
  return command
    .option("--concurrency <n>", "parts of the set to read in parallel", concurrency, DEFAULT_CONCURRENCY)
    .option(
      "--max-rate <n>",
      "maximum requests a minute, to leave some for the rest of the team",
      wholeNumber("--max-rate", 1),
    );
});

const REQUEST_FLAGS = ["--demo", "--base-url", "--profile", "--concurrency", "--max-rate"];

/**
 * The synced folder to read instead of the service, given as an operand or by a flag.
 *
 * @throws UsageError if both are given, or a flag about requests is given
 */
export function parseFolder(
  command: CommandUnknownOpts,
  flag: string,
  operand: string | undefined,
  value: string | undefined,
): string | undefined {
  if (operand !== undefined && value !== undefined) {
    const both = `${quoted(operand)} and ${quoted(value)}`;
    throw new UsageError(`Two folders are given, ${both}; leave one out.`, { flag });
  }
  const folder = operand ?? value;
  if (folder === undefined) {
    return undefined;
  }
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(new Option(name).attributeName()) === "cli";
  const other = REQUEST_FLAGS.find(isGiven);
  if (other !== undefined) {
    const given = operand === undefined ? flag : `the folder ${quoted(operand)}`;
    throw flagError(other, `cannot be combined with ${given}: the folder is read, and no request is sent.`);
  }
  return folder;
}
