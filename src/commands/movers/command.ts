import { type Command, Option } from "commander";
import type { Context, Run } from "../../cli/context.ts";
import { failIfOption } from "../../cli/flags/condition.ts";
import { addBrandFlag, addVocabularyFlags } from "../../cli/flags/filter.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import { addListOutput, columnsOption } from "../../cli/flags/output.ts";
import { addDemoFlag } from "../../cli/flags/source.ts";
import { onlyOption } from "../../cli/flags/values.ts";
import { LOOKS, sinceExpression } from "../../cli/source/since-look.ts";
import { MOVER_KINDS } from "../../folder/prices/movers.ts";
import { PRODUCT_GROUPS } from "../../folder/prices/observation.ts";
import {
  MOVER_COLUMNS,
  MOVER_FIELDS,
  type MoversFlags,
  type MoversOptions,
  parseMoversOptions,
  SORTABLE,
} from "./options.ts";

const load: Run<MoversOptions> = async (...call) => (await import("./run.ts")).runMovers(...call);

export function declare(command: Command, context: Context, run = load): void {
  command
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "What moved since a day, from a synced folder: the biggest drops and rises of the last known price, new lows, " +
        "and the highest discounts.",
    )
    .option(
      "--since <day>",
      "compare with the last price known up to this day: YYYY-MM-DD, 7d, latest-7d (default: latest-7d); last: since the last `--since last` of movers on this folder, or last:NAME of that name",
      sinceExpression("--since"),
    )
    .addOption(onlyOption(MOVER_KINDS))
    .addOption(new Option("--group-by <what>", "the biggest of each group").choices(PRODUCT_GROUPS))
    .addOption(failIfOption(MOVER_FIELDS));
  addBrandFlag(addVocabularyFlags(command));
  addDemoFlag(
    addListOutput(command).addOption(columnsOption("columns to write, in this order: sku,percent,url", MOVER_COLUMNS)),
  );
  addListFlags(command, "selling_price", SORTABLE, ` within each kind (default: the biggest first)`, {
    of: "products of each kind, or of each kind and group",
    byDefault: 10,
  });
  const examples = [
    "catalog movers --demo",
    "catalog movers rows --only drop --limit 20",
    "catalog movers rows --only drop --columns sku,title,percent,selling_price,url -f csv",
    "catalog movers rows --since latest-1d --retailer acme --group-by category",
    "catalog movers rows --only drop --group-by brand --limit 3",
    "catalog movers rows --since last --only drop",
    "catalog movers rows --since last:mail -f csv -o moved.csv",
    "catalog movers rows --since latest-1d --fail-if 'percent < -20' -o fell.csv; test $? -ne 8 || mail -s 'prices fell' ada < fell.csv",
  ];
  addReportingFlags(command, examples, LOOKS).action((folder: string | undefined, flags: MoversFlags) =>
    run(parseMoversOptions(command, folder, flags, context), context),
  );
}
