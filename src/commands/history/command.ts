import type { Command } from "commander";
import { addVocabularyFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import { addListFlags, type ListFlags, parseList } from "../../cli/flags/list.ts";
import { addListOutput, type OutputFlags, parseListOutput } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/pull.ts";
import { quoted } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { isSyncedFolder } from "../../mirror/folder/folder-state.ts";
import type { HistoryOptions } from "./options.ts";
import { HISTORY_COLUMNS } from "./records.ts";

interface Flags extends FilterFlags, OutputFlags, ListFlags {
  search?: string;
  html?: string;
  demo?: boolean;
}

/** The name that the price has in the table. */
const SORT_WORDS = { price: { column: "selling_price", descending: false } } as const;

export function declare(command: Command, context: Context): void {
  command
    .argument("[sku...]", "products by sku, then a folder of `catalog sync` (default: the current folder)")
    .description(
      "The prices of products over their days, from a synced folder: each day, the lowest, the highest, the last, and " +
        "whether the last is a new low. Several products are shown side by side, the cheapest first.",
    )
    .option("--search <words>", "products with each of these words in title, brand, model number or sku")
    .option("--html <file>", "write a page with a chart of the prices; it needs no network");
  addVocabularyFlags(command)
    .optionsGroup("Filters:")
    .option("--start-date <date>", "from this day on (UTC): YYYY-MM-DD, 30d, latest-30d")
    .option("--end-date <date>", "up to this day")
    .optionsGroup("Options:");
  addDemoFlag(addListOutput(command));
  addListFlags(command, "price");
  addReportingFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog history --demo --search headphones
  $ catalog history B0CHX1W1XY rows
  $ catalog history --search SM-A155F rows
  $ catalog history --search 'samsung a15 128gb' rows
  $ catalog history B0CHX1W1XY N53437343A rows --html prices.html
  $ catalog history B0CHX1W1XY rows --start-date 90d -f csv -o prices.csv`,
    )
    .action(async (words: string[], flags: Flags) => {
      const options = await parseOptions(command, words, flags, context);
      const { runHistory } = await import("./run.ts");
      await runHistory(options, context);
    });
}

async function parseOptions(
  command: Command,
  words: readonly string[],
  flags: Flags,
  context: Context,
): Promise<HistoryOptions> {
  const output = parseListOutput(flags, context);
  const { skus, folder } = await splitWords(words, flags);
  const search = (flags.search ?? "").split(/\s+/).filter((word) => word !== "");
  if (skus.length === 0 && search.length === 0) {
    throw new UsageError("no product is named: give a sku, or its model number or words of its title with --search.");
  }
  if (skus.length > 0 && flags.search !== undefined) {
    const last = skus.at(-1) ?? "";
    const others = skus.slice(0, -1);
    throw new UsageError(
      others.length === 0
        ? `--search finds products by words, and ${quoted(last)} is not a folder of \`catalog sync\`; leave out one of the two.`
        : `--search finds products by words; leave out ${others.map(quoted).join(", ")} or --search.`,
      { flag: "--search" },
    );
  }
  return {
    globals: parseGlobals(command),
    folder,
    demo: flags.demo ?? false,
    filters: parseFilters(flags, context.now()),
    skus,
    search,
    list: parseList(flags, HISTORY_COLUMNS, SORT_WORDS),
    html: flags.html,
    output,
  };
}

/** The last word is the folder if it names a synced folder; otherwise all words are skus. */
async function splitWords(
  words: readonly string[],
  { demo }: Flags,
): Promise<{ skus: readonly string[]; folder: string | undefined }> {
  const last = words.at(-1);
  if (last === undefined || demo || !(last.includes("/") || (await isSyncedFolder(last)))) {
    return { skus: words, folder: undefined };
  }
  return { skus: words.slice(0, -1), folder: last };
}
