import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { SUSPECT_FACTOR } from "../../folder/index/suspect-factor.ts";
import type { Context } from "../context.ts";
import { parseCondition } from "../flags/condition.ts";
import { addBrandFlag, addVocabularyFlags, type SkusFlags } from "../flags/filter.ts";
import { addListFlags } from "../flags/list.ts";
import { addLinksFlag, addListOutput, columnsOption, parseListing, TABLE_FORMATS } from "../flags/output.ts";
import { addDemoFlag, type FolderFlags, parseFolderSource } from "../flags/source.ts";
import { dateExpression, dayCount, type FlagsOf, flagError, flagSet, valueError } from "../flags/values.ts";
import {
  answerColumns,
  comparable,
  isNumeric,
  namesOf,
  OWN_LIST_COLUMNS,
  type PriceOptions,
  type QuestionColumn,
  type QuestionFormat,
  type QuestionOptions,
  type SortWords,
} from "./question.ts";

type PriceFlags = FlagsOf<typeof addPriceFlags> & FolderFlags & SkusFlags;

/** The flags that every question has, and filters and lists that only some have. */
export type QuestionFlags = FlagsOf<typeof addQuestionFlags> & PriceFlags;

/** Declares the filters of a folder and `--end-date`, the last day that counts. */
export const addLastDayFlags = flagSet((command) =>
  addBrandFlag(addVocabularyFlags(command))
    .optionsGroup("Filters:")
    .option(
      "--end-date <date>",
      "as of this day instead of the newest one: YYYY-MM-DD, 7d, latest-7d",
      dateExpression("--end-date"),
    )
    .optionsGroup("Options:"),
);

/** How the shared flags differ between questions. */
interface FlagDetails {
  columns: readonly QuestionColumn[];
  sortExample: string;
  sortHelp?: string;
  limitHelp?: string;
  sortWords?: SortWords;
  maxAge: string;
}

/** Declares the flags that all questions share, after those of filters and `--skus`. */
export const addQuestionFlags = flagSet(
  (command, { columns, sortWords = {}, sortExample, sortHelp, limitHelp, maxAge }: FlagDetails) => {
    const names = namesOf(columns);
    const conditional = addPriceFlags(command, maxAge).option(
      "--fail-if <condition>",
      `exit with code 8 if any row meets the condition, as in '${comparable(columns)[0]} < 20'; \`count\` is the number of rows`,
    );
    const listed = addLinksFlag(addListOutput(conditional)).addOption(
      columnsOption(`columns to write, in this order: ${names.slice(1, 4).join(",")}`, names),
    );
    return addListFlags(addDemoFlag(listed), sortExample, [...Object.keys(sortWords), ...names], sortHelp, limitHelp);
  },
);

/** Declares the flags that decide which prices count. @param maxAge the default, for the help */
export const addPriceFlags = flagSet((command, maxAge: string) =>
  command
    .option(
      "--max-age <days>",
      `how long a price counts as known: 14d, or none for no limit (default: ${maxAge})`,
      ageLimit,
    )
    .option(
      "--suspect-factor <n>",
      `leave out prices at least n times, or at most 1/n of, the usual one (default: ${SUSPECT_FACTOR})`,
      suspectFactor,
    )
    .option("--include-suspect", "keep suspect prices")
    .option("--show-sql", "write the SQL that answers the question instead of the answer"),
);

/** @throws UsageError if a flag names a column that `--skus` would add */
export function checkOwnListColumns(
  command: CommandUnknownOpts,
  { skus, columns = "", sort = "", failIf = "" }: SkusFlags & Partial<Record<"columns" | "sort" | "failIf", string>>,
): void {
  if (skus !== undefined || !command.options.some(({ long }) => long === "--skus")) {
    return;
  }
  for (const [flag, text] of Object.entries({ "--columns": columns, "--sort": sort, "--fail-if": failIf })) {
    const given = flag === "--fail-if" ? OWN_LIST_COLUMNS.filter(isNumeric) : OWN_LIST_COLUMNS;
    const own = namesOf(given).find((name) => text.split(/[\s,:<>=]+/).includes(name));
    if (own !== undefined) {
      throw flagError(flag, `names ${own}, which only --skus FILE gives.`);
    }
  }
}

/** Parses the options that all questions share. @param maxAge the default in days */
export function parseQuestion(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: QuestionFlags,
  context: Context,
  {
    columns,
    sortWords,
    maxAge,
    formats = TABLE_FORMATS,
  }: {
    columns: readonly QuestionColumn[];
    sortWords?: SortWords;
    maxAge: number | undefined;
    formats?: readonly QuestionFormat[];
  },
): QuestionOptions {
  checkOwnListColumns(command, flags);
  const all = answerColumns(columns, { ownList: flags.skus });
  const names = namesOf(all);
  return {
    ...parsePrices(command, folder, flags, context, maxAge),
    ...parseListing(flags, formats, context, names, sortWords),
    failIf: flags.failIf === undefined ? undefined : parseCondition(flags.failIf, comparable(all)),
  };
}

/** @param maxAge the default in days */
export function parsePrices(
  command: CommandUnknownOpts,
  folder: string | undefined,
  flags: PriceFlags,
  context: Context,
  maxAge: number | undefined,
): PriceOptions {
  if (flags.includeSuspect && flags.suspectFactor !== undefined) {
    throw flagError("--include-suspect", "cannot be combined with --suspect-factor: it keeps suspect prices.");
  }
  return {
    ...parseFolderSource(command, folder, flags, context),
    ownList: flags.skus,
    maxAge: flags.maxAge === "none" ? undefined : (flags.maxAge ?? maxAge),
    suspectFactor: flags.includeSuspect ? undefined : (flags.suspectFactor ?? SUSPECT_FACTOR),
    showSql: flags.showSql === true,
  };
}

function ageLimit(text: string): number | "none" {
  return text === "none" ? text : dayCount("--max-age")(text);
}

function suspectFactor(text: string): string {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text) || Number(text) <= 1) {
    throw valueError(
      "--suspect-factor",
      text,
      "is not a number above 1, with at most nine digits and six decimals; write 10 or 2.5.",
    );
  }
  return text;
}
