import { type Command, Option } from "commander";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import type { Context } from "../context.ts";
import { checkBrands, type FilterFlags, parseFilters } from "./filter.ts";
import { type GlobalOptions, parseGlobals } from "./global.ts";
import { flagError, wholeNumber } from "./values.ts";

/** Which rows a command is about: those of the configured service, unless it takes a folder. */
export interface SourceOptions {
  globals: GlobalOptions;
  /** Whether generated rows are used instead. */
  demo: boolean;
  /** As they were written: days may be relative. */
  filters: WrittenFilters;
}

/** Which rows of a folder of `catalog sync` a command is about. */
export interface FolderOptions extends SourceOptions {
  /** A path; undefined for the current folder or, where a command also reads a service, for the service. */
  folder: string | undefined;
  /** In any letter case; undefined for all. */
  brands: readonly string[] | undefined;
}

/** The flags of every command that reads rows. */
export interface SourceFlags extends FilterFlags {
  demo?: boolean;
}

/** The flags of every command that fails without rows if asked to. */
export interface ReadFlags extends SourceFlags {
  failOnEmpty?: boolean;
}

/** The flags of every command that pulls whole sets. */
export interface PullFlags {
  concurrency: number;
  /** Requests a minute. */
  maxRate?: number;
  /** Percentage of the pages. */
  recheck?: number;
}

/** @throws UsageError for wrong filters or contradicting global options */
export function parseSource(command: Command, flags: SourceFlags, context: Pick<Context, "now">): SourceOptions {
  const filters = parseFilters(flags, context.now());
  return { globals: parseGlobals(command), demo: flags.demo === true, filters };
}

/** As `parseSource`, of a command that only reads folders. */
export function parseFolderSource(
  command: Command,
  folder: string | undefined,
  flags: SourceFlags,
  context: Pick<Context, "now">,
): FolderOptions {
  checkBrands(flags.brand, true);
  return { ...parseSource(command, flags, context), folder, brands: flags.brand };
}

/** @param emptiness condition in the help of `--fail-on-empty` */
export function addReadFlags(command: Command, emptiness = "if nothing matches"): Command {
  return addDemoFlag(command.option("--fail-on-empty", `exit with 7 ${emptiness}`));
}

/** Of the commands that keep what they pull. */
export function addRecheckFlag(command: Command): Command {
  return command.option(
    "--recheck <percent>",
    "share of the pages that are read a second time at the end, the oldest first, where the service names no version of its data (default: 1, at least 4 pages)",
    wholeNumber("--recheck", 0, 100),
  );
}

export function addDemoFlag(command: Command): Command {
  return command.option("--demo", "use a generated data set; needs no key and no configuration");
}

export function addPullFlags(command: Command): Command {
  const concurrency = wholeNumber("--concurrency", 1, 64);
  return command
    .option("--concurrency <n>", "parts of the set that are read at the same time", concurrency, 8)
    .option(
      "--max-rate <n>",
      "most requests a minute, to leave some to the rest of the team",
      wholeNumber("--max-rate", 1),
    );
}

/** Flags that have no effect on a folder. */
const SERVICE_FLAGS = ["--demo", "--base-url", "--profile", "--concurrency", "--max-rate"];

/**
 * The synced folder that a command reads instead of the service, named by an operand or by a flag.
 *
 * @throws UsageError if two are named, the folder has no name, or a flag that only matters for a service is given
 */
export function parseFolder(
  command: Command,
  flag: string,
  operand: string | undefined,
  value: string | undefined,
): string | undefined {
  if (operand !== undefined && value !== undefined) {
    const both = `${quoted(operand)} and ${quoted(value)}`;
    throw new UsageError(`Two folders are named, ${both}; leave one out.`, { flag });
  }
  const folder = operand ?? value;
  if (folder === undefined) {
    return undefined;
  }
  if (folder === "") {
    throw flagError(flag, "is empty; name a folder of `catalog sync`.");
  }
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(new Option(name).attributeName()) === "cli";
  const other = SERVICE_FLAGS.find(isGiven);
  if (other !== undefined) {
    throw flagError(other, `cannot be combined with ${flag}: the folder is read, and no request is sent.`);
  }
  return folder;
}
