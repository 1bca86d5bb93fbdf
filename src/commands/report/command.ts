import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags } from "../../cli/flags/global.ts";
import { BOOKMARKS } from "../../cli/question/since.ts";
import { FIGURES } from "./figures.ts";
import { addReportFlags, parseReportOptions, type ReportOptions } from "./options.ts";

const width = Math.max(...Object.keys(FIGURES).map((name) => name.length)) + 2;

const FIGURE_LIST = `Figures of --fail-if and of --format json:
${Object.entries(FIGURES)
  .map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`)
  .join("\n")}`;

const DOCUMENT = `--format json: one document with \`figures\` and all rows of \`outages\`, \`stale_retailers\`,
\`own_list\`, \`drops\`, \`rises\`, \`new_lows\`, \`new_products\`, \`gone_products\` and
\`discounts_by_brand\`: columns of coverage, latest, movers and diff, and an \`id\`, which is the
same when the same event is reported again.`;

const load: Run<ReportOptions> = async (...call) => (await import("./run.ts")).runReport(...call);

export function declare(command: Command, context: Context, run = load): void {
  const declared = addReportFlags(command)
    .argument("[dir]", "a folder of `catalog sync` (default: the current folder)")
    .description(
      "One report of a synced folder: outages and stale retailers, drops and rises of the last known prices, new lows, new " +
        "products, those that are gone or were not crawled, and discounts by brand. A short text for a mail, a page or a document.",
    );
  addReportingFlags(
    declared,
    [
      "catalog report --demo",
      "catalog report rows --html morning.html",
      "catalog report rows --since latest-1d --retailer acme --html acme.html --limit 50",
      "catalog report rows --html morning.html --text --urls | mail -s 'prices this morning' ada",
      "catalog report rows --skus watch.csv --fail-if 'target_met > 0'",
      "catalog report rows --html morning.html --fail-if 'outages > 0' --fail-if 'biggest_drop < -60'",
      "catalog report rows --since last:feed --format json > report.json",
    ],
    `${FIGURE_LIST}\n\n${DOCUMENT}\n\n${BOOKMARKS}`,
  ).action((folder, flags) => run(parseReportOptions(command, folder, flags, context), context));
}
