import type { Run } from "../../cli/context.ts";
import { newestMatchingDay } from "../../cli/question/compared-days.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { isBookmark } from "../../cli/question/since.ts";
import { checkDays, nearestDays } from "../../cli/source/folder-vocabulary.ts";
import type { SyncedFolder } from "../../cli/source/synced-folder.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import { firstFew } from "../../contract/values/phrases.ts";
import { readRows } from "../../folder/ask/ask.ts";
import DIFF from "../../folder/questions/diff.sql";
import GAPS from "../../folder/questions/diff-gaps.sql";
import { CHANGES, DIFF_COLUMNS, type DiffOptions, REASONS, resolvePair } from "./options.ts";

/** Differences that a table on a terminal shows; every other output has them all. */
const SHOWN_DIFFERENCES = 40;

const countOf = (column: string, value: string) => `count(*) FILTER (${column} = '${value}')`;

const SUMMARY = Object.fromEntries([
  ...[...CHANGES, "unchanged"].map((change) => [change, countOf("change", change)]),
  ...REASONS.map((reason) => [reason, countOf("reason", reason)]),
]) as Readonly<Record<string, string>>;

const DIFF_QUESTION: Question<DiffOptions> = {
  sql: DIFF,
  columns: DIFF_COLUMNS,
  bookmarks: "diff",
  days: (options, synced, { newest, now }) => {
    if (options.days === undefined) {
      return undefined;
    }
    const days = resolvePair(options.days, now, newestMatchingDay(synced, newest));
    if (!options.isOfService) {
      checkDays(days, synced);
    }
    tellEmptyDays(days, synced, options);
    return days;
  },
  // A table shows what changed, and the rest as counts, but since a bookmark nothing is left out.
  parameters: ({ strict, only, output, list, since = "" }) => ({
    strict,
    kinds: only ?? (output.format === "table" && !isBookmark(since) ? ["changed"] : CHANGES),
    by_kind: output.format === "table" && list.sort === undefined,
  }),
  totals: SUMMARY,
  totalsParameters: { kinds: null },
  find: async (prices, parameters, _, { reporter }) => {
    for (const [day, isOutage, change, retailers] of await readRows(prices, GAPS, parameters)) {
      const names = firstFew(String(retailers).split(" "), 5, " retailers");
      reporter.warn(
        isOutage
          ? `on ${day} fewer rows than usual were crawled of ${names} (outage)`
          : `no rows on ${day} of ${names}: all their products count as ${change}`,
      );
    }
    return {};
  },
  subject: ["retailer", "sku"],
  noun: "product",
  shownRows: SHOWN_DIFFERENCES,
  view: async () => (await import("./diff-table.ts")).diffText,
};

/** Of a service, the two days are pulled into a folder, and the same question is asked. */
export const askDiff: Run<DiffOptions> = async (options, context) => {
  if (!options.isOfService || options.days === undefined) {
    await runQuestion(DIFF_QUESTION, options, context);
    return;
  }
  const { pullTwoDays } = await import("./two-days.ts");
  await using pulled = await pullTwoDays({ ...options, days: options.days }, context);
  const { folder, days } = pulled;
  await runQuestion(DIFF_QUESTION, { ...options, demo: false, filters: {}, folder, days }, context);
};

/** Warns if no row matches on a day or, of last known prices, up to it. */
function tellEmptyDays(days: { from: string; to: string }, synced: SyncedFolder, options: DiffOptions): void {
  const [first = ""] = synced.days;
  const isEmpty = (day: string) => (options.strict ? !synced.days.includes(day) : first === "" || day < first);
  const empty = [days.from, days.to].filter(isEmpty);
  if (empty.length === 0) {
    return;
  }
  const around = [...new Set(empty.flatMap((day) => nearestDays(day, synced.days)))].sort();
  const nearest = around.length === 0 ? "" : ` (nearest days with rows: ${around.join(", ")})`;
  const message = `no rows match ${options.strict ? "on" : "up to"} ${empty.join(" and ")}${nearest}`;
  if (options.failOnEmpty) {
    throw new EmptyResultError(message);
  }
  synced.reporter.warn(message);
}
