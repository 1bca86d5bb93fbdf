import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { PRODUCT_COLUMNS, productSchema } from "../../contract/product.ts";
import { declareIncidents, declareKeys, declareTeams } from "./record-commands.ts";
import { addLoadFlags, addRemoveFlags, addStartFlags } from "./service-flags.ts";
import { subcommandsOf } from "./subcommand.ts";

const COLUMNS = `Each row has these columns, in any order. \`name=value\` folders above a file may give them, too.
${PRODUCT_COLUMNS.map((name) => `  ${name.padEnd(15)}${productSchema.properties[name].description}`).join("\n")}`;

/** @param run called instead of each command, with its complete options */
export function declare(command: Command, context: Context, run?: Run<unknown>): void {
  command
    .description(
      "The embedded, complete implementation of the API: run it, fill it, manage its teams, keys and status feed.",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ catalog service load rows.ndjson.gz
  $ catalog service keys create laptop --output key
  $ catalog service start`,
    );
  const add = subcommandsOf(command, context, run);
  add("start", {
    summary: "serve the API and the developer portal",
    description:
      "Serves the API and the developer portal until it is terminated. Prints one line on stdout when it is ready.",
    examples: [
      "catalog service start",
      "catalog service start --port 0 --database rows.db --rate-limit 1000",
      "catalog service start --log json --metrics-port 9464",
      "catalog service start --public-url https://api.example.com --trust-proxy 1 --smtp-url smtp://localhost --mail-from catalog@example.com",
    ],
    options: addStartFlags,
    load: async () => (await import("./start.ts")).startCommand,
  });
  add("load <file...>", {
    summary: "load rows",
    description:
      "Loads NDJSON, JSON, CSV, TSV, xlsx or Parquet files (also .gz and .zst), each completely or not at all. CSV may be separated by commas, semicolons, tabs or |. The file - is standard input. Rows are added; with --replace, they replace earlier ones. Running exports still get the rows that they began with.",
    examples: [
      "catalog service load rows.ndjson.gz",
      "catalog service load --replace --retailer nordwind --date 2026-01-31 crawled-again.csv",
      "catalog export --demo | catalog service load --database rows.db -",
    ],
    options: addLoadFlags,
    note: COLUMNS,
    load: async () => (await import("./load.ts")).loadCommand,
  });
  add("remove", {
    summary: "remove rows",
    description:
      "Removes the rows that match the filters, and reports how many. Running exports still get the rows that they began with; a day later, the space of removed rows is reused.",
    examples: [
      "catalog service remove --retailer nordwind --date 2026-01-31 --dry-run",
      "catalog service remove --end-date 365d",
    ],
    options: addRemoveFlags,
    load: async () => (await import("./remove.ts")).removeCommand,
  });
  declareTeams(command.command("teams").summary("manage teams: their scopes, retailers and members"), context, run);
  declareKeys(command.command("keys").summary("create, list and revoke API keys"), context, run);
  declareIncidents(command.command("incident").summary("record and list incidents of the status feed"), context, run);
}
