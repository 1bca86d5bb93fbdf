import { stat } from "node:fs/promises";
import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addFilterFlags, addSkusFlag } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { splitPage } from "../../cli/flags/output.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/question.ts";
import { addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";
import { HISTORY_COLUMNS, type HistoryOptions } from "./options.ts";

/** The name that the price has in the table. */
const SORT_WORDS = { price: { column: "selling_price", descending: false } } as const;

const load: Run<HistoryOptions> = async (...call) => (await import("./question.ts")).askHistory(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument("[sku...]", "products by sku, then a folder of `catalog sync` (default: the current folder)")
    .description(
      "The prices of products over their days, from a synced folder: each day, the lowest, the highest, the last, and " +
        "whether the last is a new low. Several products are shown side by side, the cheapest first, and those not seen for 14 days last.",
    )
    .option(
      "--search <words>",
      "products with each of these words in title, brand or model number, or as the beginning of the sku, in any letter case; a number matches whole words",
    )
    .option("--html <file>", "write a page with a chart of the prices; it needs no network");
  const columns = [...HISTORY_COLUMNS, ...OWN_LIST_COLUMNS];
  const declared = addQuestionFlags(addSkusFlag(addBrandFlag(addFilterFlags(own))), {
    columns,
    sortExample: "price",
    sortWords: SORT_WORDS,
    maxAge: "none",
  });
  const examples = [
    "catalog history --demo --search headphones",
    "catalog history B0CHX1W1XY rows",
    "catalog history --search SM-A155F rows",
    "catalog history --search 'samsung a15 128gb' rows",
    "catalog history B0CHX1W1XY N53437343A rows --html prices.html",
    "catalog history B0CHX1W1XY rows --start-date 90d -f csv -o prices.csv",
  ];
  addReportingFlags(declared, examples, columnsHelp(columns)).action(async (words, flags) => {
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
    const question = parseQuestion(command, folder, listing, context, {
      columns: HISTORY_COLUMNS,
      sortWords: SORT_WORDS,
      maxAge: undefined,
    });
    return run({ ...question, page, skus, search }, context);
  });
}

/** Whether a word looks like a path, or names a folder of `catalog sync`, or another folder, if it has a slash. */
async function isFolderPath(word: string): Promise<boolean> {
  return (
    /^(?:\.{0,2}|~)\/|\/$|^\.{1,2}$/.test(word) ||
    (await isSyncedFolder(word)) ||
    (word.includes("/") && ((await stat(word).catch(() => undefined))?.isDirectory() ?? false))
  );
}
