import { SERVICE_FLAGS } from "../../cli/errors/correction.ts";
import { flagOf, flagsOfFilters } from "../../cli/flags/flag-words.ts";
import { UsageError } from "../../contract/errors.ts";
import { FILTER_NAMES } from "../../contract/filters.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import type { Leftover } from "../../pull/store/open-store.ts";
import type { StoreHead } from "../../pull/store/store-lines.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";

const FILTER_FLAGS = [...FILTER_NAMES.map(flagOf), "--date"];

/**
 * The error about pages of an interrupted run that must not be discarded unasked. Suggests how to continue and how to start
 * over.
 *
 * @param output as typed
 */
export function leftoverError(
  { reason, found }: Leftover,
  { argv, output, service }: { argv: readonly string[]; output: string; service: string },
): UsageError {
  const fresh = `to start over: ${commandOf([...withoutModes(argv), "--fresh"])}`;
  if (found === undefined) {
    return new UsageError(
      `another version of catalog began ${output} and left pages; finish it with that version, or start over\n${fresh}`,
    );
  }
  const { pages, head } = found;
  const what = { "not resumed": "", "other filters": ", of other filters", "other service": `, of ${head.service}` };
  return new UsageError(
    [
      `an interrupted run left ${pages} pages for ${output}${what[reason as keyof typeof what]}; they are only discarded if you say so`,
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
  const { start_date, end_date } = filters.own_days === undefined ? filters : {};
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
