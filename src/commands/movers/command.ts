import { type Command, Option } from "commander";
import { parseCondition } from "../../cli/flags/condition.ts";
import { addVocabularyFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import {
  addOutputFlags,
  LIST_FORMATS,
  type ListFormat,
  listFormatOfFile,
  type OutputFlags,
  parseOutput,
  refuseBinaryOnTerminal,
} from "../../cli/flags/output.ts";
import { checkDate, parseWhole, quoted } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { MOVER_KINDS, type MoverKind } from "../../prices/movers.ts";
import { CONDITION_FIELDS, GROUPS, type MoversOptions } from "./options.ts";

interface Flags extends FilterFlags, OutputFlags {
  since?: string;
  only?: string;
  groupBy?: (typeof GROUPS)[number];
  limit?: string;
  failIf?: string;
  demo?: boolean;
}

export function declare(
  command: Command,
  context: Context,
  run: (options: MoversOptions, context: Context) => Promise<void> = async (options) =>
    (await import("./run.ts")).runMovers(options, context),
): void {
  command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "What moved since a day, from a synced folder: the biggest drops and rises of the last known price, new lows, " +
        "and the highest discounts.",
    )
    .option(
      "--since <day>",
      "compare with the last price known up to this day: YYYY-MM-DD, 7d, latest-7d (default: latest-7d)",
    )
    .option("--only <kinds>", `only these kinds, a comma list of ${MOVER_KINDS.join(", ")}`)
    .addOption(new Option("--group-by <what>", "the biggest of each group").choices(GROUPS))
    .option("-n, --limit <n>", "products of each kind, or of each kind and group (default: 10)")
    .option("--fail-if <condition>", "exit with 8 when a product meets it, as in 'percent < -20'");
  addVocabularyFlags(command);
  addOutputFlags(command, LIST_FORMATS, "table in a terminal, else ndjson").option(
    "--demo",
    "run on a generated data set, without key or configuration",
  );
  addReportingFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog movers --demo
  $ catalog movers rows --only drop --limit 20
  $ catalog movers rows --since latest-1d --retailer acme --group-by category
  $ catalog movers rows --since 1d --fail-if 'percent < -20' || mail -s 'prices fell' ada`,
    )
    .action((folder: string | undefined, flags: Flags) => run(parseOptions(command, folder, flags, context), context));
}

function parseOptions(command: Command, folder: string | undefined, flags: Flags, context: Context): MoversOptions {
  const isTerminal = context.stdout.isTTY === true;
  const output = parseOutput<ListFormat>(flags, listFormatOfFile, isTerminal ? "table" : "ndjson");
  refuseBinaryOnTerminal(output, isTerminal);
  if (folder !== undefined && flags.demo) {
    throw new UsageError(`--demo takes generated rows; leave ${quoted(folder)} out.`, { flag: "--demo" });
  }
  return {
    globals: parseGlobals(command),
    folder,
    demo: flags.demo ?? false,
    filters: parseFilters(flags, context.now()),
    since: checkDate(flags.since ?? "latest-7d", "--since"),
    kinds: flags.only === undefined ? MOVER_KINDS : parseKinds(flags.only),
    groupBy: flags.groupBy,
    limit: parseWhole(flags.limit ?? "10", "--limit", 1),
    failIf: flags.failIf === undefined ? undefined : parseCondition(flags.failIf, CONDITION_FIELDS),
    output,
  };
}

function parseKinds(text: string): MoverKind[] {
  return text.split(",").map((part) => {
    const kind = MOVER_KINDS.find((known) => known === part.trim());
    if (kind === undefined) {
      throw new UsageError(`--only ${quoted(part)} is not a kind; the kinds are ${MOVER_KINDS.join(", ")}.`, {
        flag: "--only",
        value: part,
      });
    }
    return kind;
  });
}
