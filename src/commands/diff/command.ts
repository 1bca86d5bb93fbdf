import type { Command } from "commander";
import { parseCondition } from "../../cli/flags/condition.ts";
import { addVocabularyFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { parseFolder } from "../../cli/flags/folder.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { addListFlags, type ListFlags, parseList } from "../../cli/flags/list.ts";
import { addListOutput, type OutputFlags, parseListOutput } from "../../cli/flags/output.ts";
import { addPullFlags, addReadFlags, type PullFlags, parsePullFlags, type ReadFlags } from "../../cli/flags/pull.ts";
import { checkDate, parseKinds, quoted } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../contract/limits.ts";
import { isFromLatest } from "../../contract/values/date-expression.ts";
import { CHANGES } from "../../diff/join.ts";
import { UsageError } from "../../errors.ts";
import { resolveDayPair } from "./days.ts";
import { DIFF_FIELDS, type DiffOptions } from "./options.ts";
import { DIFF_COLUMNS } from "./record.ts";

interface Flags extends FilterFlags, OutputFlags, ListFlags, PullFlags, ReadFlags {
  from?: string;
  to?: string;
  against?: string;
  asOf?: boolean;
  maxAge?: string;
  only?: string;
  failIf?: string;
}

/** Short names for sort orders. */
const SORT_WORDS = {
  drop: { column: "percent", descending: false },
  rise: { column: "percent", descending: true },
} as const;

export function declare(command: Command, context: Context): void {
  command
    .argument("[dir]", "a folder of `catalog sync`, as with --against")
    .description(
      "What appeared, vanished or changed price between two crawl days, joined on retailer and sku. " +
        "A price changed if its mrp, selling_price, discount_pct or currency changed. With a synced folder, --as-of " +
        "compares the last known prices up to each day; this is the default if the two days share few products.",
    )
    .option("--from <day>", "the earlier crawl day: YYYY-MM-DD, yesterday, 7d, latest or latest-7d (UTC)")
    .option("--to <day>", "the later crawl day (default: yesterday)")
    .option("--against <dir>", "a folder of `catalog sync` instead of the service: offline, without a key")
    .option("--as-of", "compare the last known price of each product up to each day (with --against or --demo)")
    .option("--no-as-of", "compare the rows of the two days themselves")
    .option("--max-age <days>", "with --as-of: ignore prices that are older than this, such as 14d")
    .option("--only <kinds>", `only these kinds, a comma list of ${CHANGES.join(", ")}`)
    .option("--fail-if <condition>", "exit with 8 if a product meets it, as in 'percent < -20'");
  addVocabularyFlags(command);
  addListOutput(command);
  addPullFlags(command);
  addReadFlags(command, "if one of the days has no rows");
  addListFlags(command, "to_selling_price", ", or drop or rise");
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog diff --demo --from 13d --to yesterday
  $ catalog diff --from 7d --retailer acme
  $ catalog diff --from 2026-03-01 --to 2026-03-08 --department home -o changes.csv
  $ catalog sync rows && catalog diff rows --from 7d
  $ catalog diff rows --from latest-7d --to latest --only appeared --category lamps
  $ catalog diff rows --as-of --from latest-7d --to latest --sort drop --limit 20
  $ catalog diff rows --as-of --from 2d --fail-if 'percent < -20' -o changes.csv`,
    )
    .action(async (folder: string | undefined, flags: Flags) => {
      const options = parseOptions(command, withFolder(flags, folder), context);
      const { runDiff } = await import("./run.ts");
      await runDiff(options, context);
    });
}

function withFolder(flags: Flags, folder: string | undefined): Flags {
  if (folder !== undefined && flags.against !== undefined) {
    throw new UsageError(`Two folders are named, ${quoted(folder)} and ${quoted(flags.against)}; leave one out.`, {
      flag: "--against",
    });
  }
  return folder === undefined ? flags : { ...flags, against: folder };
}

function parseOptions(command: Command, flags: Flags, context: Context): DiffOptions {
  const globals = parseGlobals(command);
  return {
    globals,
    filters: parseFilters(flags, context.now()),
    ...parseDays(flags, context.now()),
    against: parseAgainst(flags, globals),
    ...parseAsOf(flags),
    only: flags.only === undefined ? undefined : parseKinds(flags.only, CHANGES),
    failIf: flags.failIf === undefined ? undefined : parseCondition(flags.failIf, DIFF_FIELDS),
    demo: flags.demo ?? false,
    output: parseListOutput(flags, context),
    pageSize: LIMITS.pageSize.maximum,
    ...parsePullFlags(flags),
    failOnEmpty: flags.failOnEmpty ?? false,
    list: parseList(flags, DIFF_COLUMNS, SORT_WORDS),
  };
}

function parseAgainst({ against, demo, concurrency, maxRate }: Flags, globals: GlobalOptions): string | undefined {
  return parseFolder("--against", against, {
    "--demo": demo,
    "--base-url": globals.baseUrl,
    "--profile": globals.profile,
    "--concurrency": concurrency,
    "--max-rate": maxRate,
  });
}

function parseAsOf({ asOf, maxAge, against, demo }: Flags): Pick<DiffOptions, "asOf" | "maxAge"> {
  if (maxAge === undefined && asOf !== true) {
    return { asOf, maxAge: undefined };
  }
  const flag = asOf === true ? "--as-of" : "--max-age";
  if (asOf === false) {
    throw new UsageError(
      "--max-age limits last known prices, which --no-as-of does not compare; leave out one of the two.",
      {
        flag,
      },
    );
  }
  if (against === undefined && !demo) {
    throw new UsageError(
      `${flag} needs the rows of all earlier days, which only a synced folder has: run \`catalog sync rows\`, then add --against rows.`,
      { flag },
    );
  }
  if (maxAge === undefined) {
    return { asOf: true, maxAge };
  }
  const [, days] = /^(\d{1,5})d$/.exec(maxAge) ?? [];
  if (days === undefined) {
    throw new UsageError(`--max-age ${quoted(maxAge)} is not a number of days; write 14d.`, {
      flag: "--max-age",
      value: maxAge,
    });
  }
  return { asOf: true, maxAge: Number(days) };
}

function parseDays(flags: Flags, now: number): Pick<DiffOptions, "from" | "to"> {
  if (flags.from === undefined) {
    throw new UsageError("--from is missing: name the earlier of the two crawl days, as in --from 7d.", {
      flag: "--from",
    });
  }
  const days = { from: checkDate(flags.from, "--from"), to: checkDate(flags.to ?? "yesterday", "--to") };
  if (!isFromLatest(days.from) && !isFromLatest(days.to)) {
    // Refuses wrong days before any request is sent.
    resolveDayPair(days, now);
  }
  return days;
}
