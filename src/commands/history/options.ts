import { stat } from "node:fs/promises";
import type { Command } from "commander";
import type { Context } from "../../cli/context.ts";
import {
  LIST_FORMATS,
  type ListingFlags,
  type ListingOptions,
  type PageOptions,
  parseListing,
  splitPage,
} from "../../cli/flags/output.ts";
import { type FolderOptions, parseFolderSource, type SourceFlags } from "../../cli/flags/source.ts";
import { quoted } from "../../cli/flags/values.ts";
import { UsageError } from "../../contract/errors.ts";
import { isSyncedFolder } from "../../folder/folder-state.ts";

/** Members of a record in their order, which is also that of the CSV columns. */
export const HISTORY_COLUMNS: readonly string[] = [
  ...["retailer", "sku", "title", "department", "category", "crawl_date"],
  ...["currency", "mrp", "selling_price", "discount_pct", "percent"],
];

export interface HistoryFlags extends SourceFlags, ListingFlags {
  search?: string;
}

/** The name that the price has in the table. */
const SORT_WORDS = { price: { column: "selling_price", descending: false } } as const;

/** Which products `catalog history` shows, and how. */
export interface HistoryOptions extends FolderOptions, ListingOptions {
  page: PageOptions | undefined;
  /** Of the products; empty with `search`. */
  skus: readonly string[];
  /** Words that the products have; empty with `skus`. */
  search: readonly string[];
}

export async function parseHistoryOptions(
  command: Command,
  words: readonly string[],
  flags: HistoryFlags,
  context: Context,
): Promise<HistoryOptions> {
  const { page, listing } = splitPage(
    flags,
    [flags.output, flags.format, flags.columns].some((flag) => flag !== undefined),
  );
  const shown = parseListing(listing, LIST_FORMATS, context, HISTORY_COLUMNS, SORT_WORDS);
  // The last word is the folder if it names a synced folder, or a path that no sku looks like. A sku may contain a slash.
  const end = words.at(-1);
  const isFolder = end !== undefined && !flags.demo && (await isFolderPath(end));
  const [skus, folder] = isFolder ? [words.slice(0, -1), end] : [words, undefined];
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
    ...parseFolderSource(command, folder, flags, context),
    ...shown,
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
