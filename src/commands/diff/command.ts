import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags } from "../../cli/flags/global.ts";
import { columnsHelp, OWN_LIST_COLUMNS } from "../../cli/question/declaration.ts";
import { BOOKMARKS } from "../../cli/question/since.ts";
import { DIFF_COLUMNS } from "./columns.ts";
import { addDiffFlags, type DiffOptions, parseDiffOptions } from "./options.ts";

const load: Run<DiffOptions> = async (...call) => (await import("./question.ts")).askDiff(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addDiffFlags(command)
    .argument("[dir]", "a folder of `catalog sync`, as with --against; alone, its last week is compared")
    .description(
      "What appeared, returned, vanished or changed price between two days. Of a synced folder, the last known price " +
        "of each product on the two days, and why a product is gone; of a service, only the rows " +
        "of the two days. A price changed if its mrp, selling_price, discount_pct or currency changed.",
    );
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
  addGlobalFlags(declared, examples, `${columnsHelp([...DIFF_COLUMNS, ...OWN_LIST_COLUMNS])}\n\n${BOOKMARKS}`).action(
    (folder, flags) => run(parseDiffOptions(command, folder, flags, context), context),
  );
}
