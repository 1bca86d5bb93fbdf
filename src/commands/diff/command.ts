import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addBrandFlag, addSkusFlag, addVocabularyFlags, checkBrands } from "../../cli/flags/filter.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { addPullFlags, parseFolder } from "../../cli/flags/source.ts";
import { dateExpression, flagError, onlyOption } from "../../cli/flags/values.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/question.ts";
import { addQuestionFlags, parseQuestion } from "../../cli/question/question-flags.ts";
import { BOOKMARKS, isBookmark, sinceDayOrBookmark } from "../../cli/question/since.ts";
import { type DateExpression, isFromLatest } from "../../contract/values/date-expression.ts";
import { CHANGES, type DayPair, DIFF_COLUMNS, type DiffOptions, resolvePair } from "./options.ts";

const SORT_WORDS = {
  drop: { column: "percent", descending: false },
  rise: { column: "percent", descending: true },
} as const;

const load: Run<DiffOptions> = async (...call) => (await import("./question.ts")).askDiff(...call);

export function declare(command: Command, context: Context, run = load): void {
  const own = command
    .argument("[dir]", "a folder of `catalog sync`, as with --against; alone, its last week is compared")
    .description(
      "What appeared, returned, vanished or changed price between two days. Of a synced folder, the last known price " +
        "of each product on the two days, and why a product is gone; of a service, only the rows " +
        "of the two days. A price changed if its mrp, selling_price, discount_pct or currency changed.",
    )
    .option(
      "--from <day>",
      "the earlier day: YYYY-MM-DD, yesterday, 7d, latest or latest-7d (UTC; of a folder alone: latest-7d)",
      dateExpression("--from"),
    )
    .option(
      "--to <day>",
      "the later day (default: yesterday; with --from latest-Nd, and of a folder alone: latest)",
      dateExpression("--to"),
    )
    .option(
      "--since <day>",
      "stands for --from DAY --to latest; of a folder also last: since the last `diff --since last`, or last:NAME of that name",
      sinceDayOrBookmark("--since"),
    )
    .option("--against <dir>", "a folder of `catalog sync` instead of the service: offline, without a key")
    .option("--strict-days", "compare the rows of the two days alone, not last known prices")
    .addOption(new Option("--as-of").hideHelp())
    .addOption(new Option("--no-as-of").hideHelp())
    .addOption(onlyOption(CHANGES))
    .option("--fail-on-empty", "exit with 7 if one of the days has no rows");
  const columns = [...DIFF_COLUMNS, ...OWN_LIST_COLUMNS];
  const asked = addQuestionFlags(addSkusFlag(addBrandFlag(addVocabularyFlags(own))), {
    columns,
    sortExample: "to_selling_price",
    sortHelp: ", or drop or rise (default: retailer and sku; in a table changed products first)",
    sortWords: SORT_WORDS,
    maxAge: "14d",
  });
  const examples = [
    "catalog diff --demo --from 13d --to yesterday",
    "catalog diff rows",
    "catalog diff --from 7d --retailer acme",
    "catalog diff --from 2026-03-01 --to 2026-03-08 --department home -o changes.csv",
    "catalog sync rows && catalog diff rows --from 7d",
    "catalog diff rows --from latest-7d --to latest --only appeared --category lamps",
    "catalog diff rows --sort drop --limit 20",
    "catalog diff rows --since last --only appeared,vanished",
    "catalog diff rows --from 2d --fail-if 'percent < -20' -o changes.csv",
  ];
  const notes = `${columnsHelp(columns)}\n\n${BOOKMARKS}`;
  addGlobalFlags(addPullFlags(asked), examples, notes).action((operand, flags) => {
    const folder = parseFolder(command, "--against", operand, flags.against);
    checkBrands(flags.brand, folder !== undefined);
    const strict = flags.strictDays === true || flags.asOf === false;
    refuseKnownPrices(flags, strict, folder);
    const hasBookmark = flags.since !== undefined && isBookmark(flags.since);
    if (hasBookmark && folder === undefined && !flags.demo) {
      throw flagError(
        "--since",
        `${flags.since} needs a folder of \`catalog sync\`, which remembers the bookmark: name one, such as rows.`,
      );
    }
    const isOfFolder = folder !== undefined || flags.asOf === true || flags.maxAge !== undefined || hasBookmark;

    const question = parseQuestion(command, folder, flags, context, {
      columns: DIFF_COLUMNS,
      sortWords: SORT_WORDS,
      maxAge: 14,
    });
    const options = {
      ...question,
      since: isOfFolder ? flags.since : undefined,
      days: parseDays(flags, isOfFolder, context.now()),
      isOfService: !isOfFolder,
      strict: strict || !isOfFolder,
      only: flags.only,
      failOnEmpty: flags.failOnEmpty === true,
      concurrency: flags.concurrency,
      maxRate: flags.maxRate,
    };
    return run(options, context);
  });
}

/** @returns undefined for a folder that is compared with `--since`, by default with a week before its newest day */
function parseDays(
  { since, from, to }: Partial<Record<"since" | "from" | "to", DateExpression>>,
  isOfFolder: boolean,
  now: number,
): DayPair | undefined {
  const other = from !== undefined ? "--from" : to !== undefined ? "--to" : undefined;
  if (since !== undefined && other !== undefined) {
    throw flagError("--since", `cannot be combined with ${other}: it stands for --from DAY --to latest.`);
  }
  if (isOfFolder && other === undefined) {
    return undefined;
  }
  // The newest day may be before yesterday.
  const usualTo = from !== undefined && isFromLatest(from) ? "latest" : "yesterday";
  const days = since === undefined ? { from, to: to ?? usualTo } : { from: since, to: "latest" };
  if (days.from === undefined) {
    throw flagError("--from", "is missing: name the earlier of the two crawl days, as in --from 7d.");
  }
  const pair: DayPair = { flag: since === undefined ? "--from" : "--since", from: days.from, to: days.to };
  if (!isFromLatest(pair.from) && !isFromLatest(pair.to)) {
    // Refuses wrong days before any request is sent.
    resolvePair(pair, now);
  }
  return pair;
}

/** @throws UsageError if flags of last known prices are given where only the two days count */
function refuseKnownPrices(
  { asOf, maxAge, demo }: { asOf?: boolean; maxAge?: unknown; demo?: true },
  strict: boolean,
  folder: string | undefined,
): void {
  const flag = asOf === true ? "--as-of" : maxAge !== undefined ? "--max-age" : undefined;
  if (flag === undefined) {
    return;
  }
  if (strict) {
    throw flagError(
      flag,
      "is about last known prices, which --strict-days does not compare; leave out one of the two.",
    );
  }
  if (folder === undefined && !demo) {
    throw flagError(
      flag,
      "needs the rows of all earlier days, which only a synced folder has: run `catalog sync rows`, then name it: catalog diff rows.",
    );
  }
}
