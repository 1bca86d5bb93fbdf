import { type Command, Option } from "commander";
import { parseCondition } from "../../cli/flags/condition.ts";
import { addVocabularyFlags, type FilterFlags, parseFilters } from "../../cli/flags/filter.ts";
import { refuseFolderOfDemo } from "../../cli/flags/folder.ts";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import { addListOutput, type OutputFlags, parseListOutput } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/pull.ts";
import { checkDate, parseKinds, parseWhole } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { MOVER_KINDS } from "../../prices/movers.ts";
import { GROUPS, MOVER_FIELDS, type MoversOptions } from "./options.ts";

interface Flags extends FilterFlags, OutputFlags {
  since?: string;
  only?: string;
  groupBy?: (typeof GROUPS)[number];
  limit?: string;
  failIf?: string;
  demo?: boolean;
}

export function declare(command: Command, context: Context): void {
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
    .option("--fail-if <condition>", "exit with 8 if a product meets it, as in 'percent < -20'");
  addVocabularyFlags(command);
  addDemoFlag(addListOutput(command));
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
    .action(async (folder: string | undefined, flags: Flags) => {
      const options = parseOptions(command, folder, flags, context);
      const { runMovers } = await import("./run.ts");
      await runMovers(options, context);
    });
}

function parseOptions(command: Command, folder: string | undefined, flags: Flags, context: Context): MoversOptions {
  refuseFolderOfDemo(folder, flags.demo);
  return {
    globals: parseGlobals(command),
    folder,
    demo: flags.demo ?? false,
    filters: parseFilters(flags, context.now()),
    since: checkDate(flags.since ?? "latest-7d", "--since"),
    kinds: flags.only === undefined ? MOVER_KINDS : parseKinds(flags.only, MOVER_KINDS),
    groupBy: flags.groupBy,
    limit: parseWhole(flags.limit ?? "10", "--limit", 1),
    failIf: flags.failIf === undefined ? undefined : parseCondition(flags.failIf, MOVER_FIELDS),
    output: parseListOutput(flags, context),
  };
}
