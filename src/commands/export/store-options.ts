import type { Context } from "../../cli/context.ts";
import { SERVICE_FLAGS } from "../../cli/errors/corrected-command.ts";
import { flagError } from "../../cli/flags/values.ts";
import type { Connection } from "../../cli/source/connection.ts";
import { VERSION } from "../../cli/version.ts";
import { UsageError } from "../../contract/errors.ts";
import { FILTER_NAMES, flagOf } from "../../contract/filters.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import { FEW_PAGES, type Leftover, type StoreOptions } from "../../pull/store/open-store.ts";
import type { PageStore } from "../../pull/store/page-store.ts";
import type { StoreHead } from "../../pull/store/store-lines.ts";
import { flagsOfFilters, type WrittenFilters } from "../../pull/written-filters.ts";
import type { ExportOptions } from "./options.ts";

/**
 * How the page store of an export is opened, and what the user is told about pages of an interrupted run.
 *
 * @param pages the file of the pages, for messages
 */
export function storeOptions(
  options: ExportOptions,
  pages: string,
  { service, filters, reporter }: Connection,
  context: Context,
): Omit<StoreOptions, "lock"> {
  const { output = "" } = options.output;
  return {
    mode: options.storeMode,
    tool: VERSION,
    startedAt: new Date(context.now()).toISOString(),
    head: { service, filters, asked: options.filters },
    pageSize: options.pageSize,
    refuse: (leftover) => leftoverError(leftover, { argv: context.argv, output, service }),
    onNote: reporter.warn,
    onLeft: (lost) => {
      // With `--error-format json`, only the error is written.
      if (options.globals.errorFormat === "human") {
        reporter.warn(lost?.message ?? `${pages} keeps what was read; repeat the command with --resume to continue`);
      }
    },
  };
}

/** Refuses a `--max-rows` for which most pages of an interrupted run would be thrown away. */
export function refuseDiscarding(store: PageStore, { maxRows, concurrency, ...options }: ExportOptions): void {
  const pages = store.size();
  const pageSize = store.pageSize() ?? options.pageSize;
  // An interrupted run with the same `maxRows` may have read a page too many with each walker.
  if (maxRows !== undefined && pages > Math.ceil(maxRows / pageSize) + concurrency + FEW_PAGES) {
    throw flagError(
      "--max-rows",
      `would throw away ${pages} pages of an interrupted run; leave it out to continue, or use --fresh instead of --resume.`,
    );
  }
}

const FILTER_FLAGS = [...FILTER_NAMES.map(flagOf), "--date"];

/**
 * The error about pages of an interrupted run that must not be thrown away without asking. Suggests how to continue and how to
 * start over.
 *
 * @param output as typed
 */
function leftoverError(
  leftover: Leftover,
  { argv, output, service }: { argv: readonly string[]; output: string; service: string },
): UsageError {
  const fresh = `to start over: ${commandOf([...withoutModes(argv), "--fresh"])}`;
  if (leftover.reason === "other version") {
    return new UsageError(
      `another version of catalog began ${output} and left pages; finish it with that version, or start over\n${fresh}`,
    );
  }
  const { reason, pages, head } = leftover;
  const what = { "not resumed": "", "other filters": ", of other filters", "other service": `, of ${head.service}` };
  return new UsageError(
    [
      `an interrupted run left ${pages} pages for ${output}${what[reason]}; they are only discarded if you say so`,
      `to continue with them: ${commandOf(resuming(argv, head, service))}`,
      fresh,
    ].join("\n"),
  );
}

function commandOf(words: readonly string[]): string {
  return quoteCommand(["catalog", ...words]);
}

/** The command line that continues with the stored pages. */
function resuming(argv: readonly string[], head: StoreHead, service: string): string[] {
  const { filters, asked } = head;
  // The days as resolved in the first run. If each retailer has its own, two dates cannot express them.
  const { start_date, end_date } = filters.daysByRetailer === undefined ? filters : {};
  const written: WrittenFilters = { ...asked, ...(start_date && { start_date }), ...(end_date && { end_date }) };
  const isOther = head.service !== service;
  const kept = without(withoutModes(argv), isOther ? [...FILTER_FLAGS, ...SERVICE_FLAGS] : FILTER_FLAGS);
  const isUrl = URL.canParse(head.service);
  return [
    ...(isOther ? kept.filter((word) => word !== "--demo") : kept),
    ...(isOther ? (isUrl ? ["--base-url", head.service] : ["--demo"]) : []),
    ...flagsOfFilters(written),
    "--resume",
  ];
}

function withoutModes(words: readonly string[]): string[] {
  return words.filter((word) => word !== "--resume" && word !== "--fresh");
}

/** Removes flags and their values. */
function without(words: readonly string[], flags: readonly string[]): string[] {
  const removed: ReadonlySet<string | undefined> = new Set(flags);
  return words.filter(
    (word, index) => !removed.has(words[index - 1]) && !removed.has(word) && !removed.has(word.split("=")[0]),
  );
}
