import { stat } from "node:fs/promises";
import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import { addSkusFlag } from "../../cli/flags/filter.ts";
import { type PageOptions, splitPage } from "../../cli/flags/output.ts";
import type { FlagsOf } from "../../cli/flags/values.ts";
import { OWN_LIST_COLUMNS, type QuestionOptions } from "../../cli/question/declaration.ts";
import { addPeriodFlags, addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { HISTORY_COLUMNS } from "./columns.ts";

/** The name that the price has in the table. */
export const HISTORY_SORT_WORDS = { price: { column: "selling_price", descending: false } } as const;

export function addHistoryFlags(command: Command) {
  const own = command
    .option(
      "--search <words>",
      "products with each of these words in title, brand or model number, or as the beginning of the sku, in any letter case; a number matches whole words",
    )
    .option("--html <file>", "write a page with a chart of the prices; it needs no network");
  return addQuestionFlags(addSkusFlag(addPeriodFlags(own)), {
    columns: [...HISTORY_COLUMNS, ...OWN_LIST_COLUMNS],
    sortExample: "price",
    sortWords: HISTORY_SORT_WORDS,
    maxAge: "none",
  });
}

/** Which products `catalog history` shows, and how. */
export interface HistoryOptions extends QuestionOptions {
  page: PageOptions | undefined;
  /** Of the products; empty with `search`, and for all of an own list. */
  skus: readonly string[];
  /** Words that the products have. */
  search: readonly string[];
}

export async function parseHistoryOptions(
  command: CommandUnknownOpts,
  words: readonly string[],
  flags: FlagsOf<typeof addHistoryFlags>,
  context: Context,
): Promise<HistoryOptions> {
  const { page, listing } = splitPage(
    flags,
    [flags.output, flags.format, flags.columns].some((flag) => flag !== undefined),
  );
  // The last word is the folder if it names a synced folder, or a path that no sku looks like. A sku may contain a slash.
  const end = words.at(-1);
  const isFolder = end !== undefined && !flags.demo && (await isFolderPath(end));
  const [skus, folder] = isFolder ? [words.slice(0, -1), end] : [words, undefined];
  const search = flags.search?.split(/\s+/).filter((word) => word !== "") ?? [];
  if (skus.length === 0 && search.length === 0 && flags.skus === undefined) {
    throw new UsageError(
      "no product is named: give a sku, its model number or words of its title with --search, or a list with --skus.",
    );
  }
  const last = skus.at(-1);
  if (last !== undefined && flags.search !== undefined) {
    const others = skus.slice(0, -1);
    throw new UsageError(
      others.length === 0
        ? `--search finds products by words, and ${quoted(last)} is not a folder of \`catalog sync\`; leave out one of the two.`
        : `--search finds products by words; leave out ${others.map(quoted).join(", ")} or --search.`,
      { flag: "--search" },
    );
  }
  return {
    ...parseQuestion(command, folder, listing, context, {
      columns: HISTORY_COLUMNS,
      sortWords: HISTORY_SORT_WORDS,
      maxAge: undefined,
    }),
    page,
    skus,
    search,
  };
}

/** Whether a word looks like a path, or names a folder of `catalog sync`, or another folder, if it has a slash. */
async function isFolderPath(word: string): Promise<boolean> {
  return (
    /^(?:\.{0,2}|~)\/|\/$|^\.{1,2}$/.test(word) ||
    (await isSyncedFolder(word)) ||
    (word.includes("/") && ((await stat(word).catch(() => undefined))?.isDirectory() ?? false))
  );
}
