import { type Command, Option } from "commander";
import { parseColumns } from "../../export/formats/columns.ts";
import { SUSPECT_FACTOR } from "../../folder/index/suspect-factor.ts";
import type { Context } from "../context.ts";
import { parseCondition } from "../flags/condition.ts";
import { addBrandFlag, addSkusFlag, addVocabularyFlags } from "../flags/filter.ts";
import { addListFlags } from "../flags/list.ts";
import { addLinksFlag, addListOutput, type ListingFlags, parseListing, TABLE_FORMATS } from "../flags/output.ts";
import { addDemoFlag, parseFolderSource, type SourceFlags } from "../flags/source.ts";
import { dateExpression, dayCount, flagError, NamesOption, valueError } from "../flags/values.ts";
import {
  answerColumns,
  comparable,
  namesOf,
  type PriceOptions,
  type QuestionColumn,
  type QuestionFormat,
  type QuestionOptions,
  type SortWords,
} from "./declaration.ts";

/** The flags of all commands that answer from prices. */
export interface PriceFlags extends SourceFlags {
  skus?: string;
  maxAge?: number | "none";
  suspectFactor?: string;
  includeSuspect?: boolean;
  showSql?: boolean;
}

/** The flags that every question has. */
export interface QuestionFlags extends PriceFlags, Omit<ListingFlags, "columns"> {
  /** Unparsed, because the known columns may depend on other flags. */
  columns?: string;
  /** Unparsed, for the same reason. */
  failIf?: string;
}

interface FlagsOfQuestion {
  columns: readonly QuestionColumn[];
  /** A column that examples sort by. */
  sortExample: string;
  sortHelp?: string;
  limitHelp?: string;
  sortWords?: SortWords;
  /** Whether the command takes `--start-date` and `--date`. */
  hasStartDate?: boolean;
  /** Whether the command takes `--skus`. */
  hasOwnList?: boolean;
  /** Whether the command has its own flags for days. */
  hasOwnDays?: boolean;
  /** Default, for the help. */
  maxAge: string;
}

/** Declares the flags that all questions share. */
export function addQuestionFlags(command: Command, question: FlagsOfQuestion): Command {
  const { columns: own, sortWords = {}, sortExample, sortHelp, limitHelp } = question;
  const columns = answerColumns(own, { ownList: question.hasOwnList ? "" : undefined });
  const names = namesOf(columns);
  addBrandFlag(addVocabularyFlags(command)).optionsGroup("Filters:");
  if (question.hasStartDate) {
    command.option(
      "--start-date <date>",
      "from this day on (UTC): YYYY-MM-DD, 30d, latest-30d",
      dateExpression("--start-date"),
    );
  }
  if (!question.hasOwnDays) {
    command.option(
      "--end-date <date>",
      "as of this day instead of the newest one: YYYY-MM-DD, 7d, latest-7d",
      dateExpression("--end-date"),
    );
  }
  if (question.hasStartDate) {
    command.option("--date <date>", "on this day; sets both --start-date and --end-date", dateExpression("--date"));
  }
  command.optionsGroup("Options:");
  if (question.hasOwnList) {
    addSkusFlag(command);
  }
  addPriceFlags(command, question.maxAge).option(
    "--fail-if <condition>",
    `exit with code 8 if any row meets the condition, as in '${comparable(columns)[0]} < 20'; \`count\` is the number of rows`,
  );
  addDemoFlag(
    addLinksFlag(addListOutput(command, TABLE_FORMATS)).addOption(
      new NamesOption("--columns <names>", `columns to write, in this order: ${names.slice(1, 4).join(",")}`, names),
    ),
  );
  return addListFlags(command, sortExample, [...Object.keys(sortWords), ...names], sortHelp, limitHelp);
}

/** Declares the flags for which prices count. @param maxAge the default, for the help */
export function addPriceFlags(command: Command, maxAge: string): Command {
  return command
    .option(
      "--max-age <days>",
      `how long a price counts as known: 14d, or none for ever (default: ${maxAge})`,
      ageLimit,
    )
    .addOption(
      new Option(
        "--suspect-factor <n>",
        `leave out prices more than n times higher or lower than the usual one (default: ${SUSPECT_FACTOR})`,
      ).argParser(suspectFactor),
    )
    .option("--include-suspect", "keep suspect prices")
    .option("--show-sql", "write the SQL that answers the question instead of the answer");
}

/** Parses the options that all questions share. @param maxAge the default in days */
export function parseQuestion(
  command: Command,
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
  const { columns: chosen, ...listing } = flags;
  const all = answerColumns(columns, { ownList: flags.skus });
  const names = namesOf(all);
  return {
    ...parsePrices(command, folder, flags, context, maxAge),
    ...parseListing(listing, formats, context, names, sortWords),
    columns: chosen === undefined ? undefined : parseColumns(chosen, names),
    failIf: flags.failIf === undefined ? undefined : parseCondition(flags.failIf, comparable(all)),
  };
}

/** @param maxAge the default in days */
export function parsePrices(
  command: Command,
  folder: string | undefined,
  flags: PriceFlags,
  context: Context,
  maxAge: number | undefined,
): PriceOptions {
  if (flags.includeSuspect && flags.suspectFactor !== undefined) {
    throw flagError("--include-suspect", "keeps suspect prices, so --suspect-factor has no effect; give only one.");
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
    throw valueError("--suspect-factor", text, "is not a number above 1; write 10 or 2.5.");
  }
  return text;
}
