import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { dateExpression, duration, wholeNumber } from "../../cli/flags/values.ts";
import { LIMITS } from "../../contract/limits.ts";
import { PRODUCT_COLUMNS, productSchema } from "../../contract/product.ts";
import { declareIncidents, declareKeys, declareTeams } from "./record-commands.ts";
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
    options: (load) =>
      load
        .option("--replace", "replace rows with the same product_id; without it, one with other values is an error")
        .option("--retailer <slug>", "with --replace and --date: the file replaces all rows of this retailer and day")
        .option(
          "--date <day>",
          "with --replace and --retailer: the day, YYYY-MM-DD, today, yesterday or 7d",
          dateExpression("--date"),
        ),
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
    options: (remove) =>
      addFilterFlags(remove)
        .option("--all", "remove every row")
        .option("--dry-run", "only say how many rows would be removed"),
    load: async () => (await import("./remove.ts")).removeCommand,
  });
  declareTeams(command.command("teams").summary("manage teams: their scopes, retailers and members"), context, run);
  declareKeys(command.command("keys").summary("create, list and revoke API keys"), context, run);
  declareIncidents(command.command("incident").summary("record and list incidents of the status feed"), context, run);
}

function addStartFlags(command: Command) {
  const { catalog, sample } = LIMITS.requestsPerWindow;
  return command
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--port <n>", "port to listen on, 0 for a free one", wholeNumber("--port", 0, 65_535), 8787)
    .option(
      "--rate-limit <n>",
      "catalog and coverage requests of a team per window",
      wholeNumber("--rate-limit", 1),
      catalog,
    )
    .option(
      "--sample-rate-limit <n>",
      "sample requests of a team per window",
      wholeNumber("--sample-rate-limit", 1),
      sample,
    )
    .option("--window <seconds>", "length of a window", wholeNumber("--window", 1), LIMITS.windowSeconds)
    .option("--cursor-ttl <duration>", "how long a cursor is valid (default: 1h)", duration("--cursor-ttl"))
    .option("--query-timeout <duration>", "how long a query may take (default: 10s)", duration("--query-timeout"))
    .option(
      "--drain-delay <duration>",
      "how long to serve requests after SIGTERM, with /readyz at 503, so that a load balancer can switch to other instances (default: 2s, and 0s on loopback)",
      duration("--drain-delay", 0),
    )
    .option(
      "--replica <url>",
      "postgres: URL of a standby of --database: rows are read from it once their version is there, and from --database while it lags or fails",
    )
    .option(
      "--error-base <url>",
      "address in the `type` of errors, without a final slash (default: the service itself)",
      (text) => text.replace(/\/+$/, ""),
    )
    .option(
      "--public-url <url>",
      "address at which clients reach the service, including its path; used in links and in the `type` of errors; required if --host is not loopback [env: CATALOG_PUBLIC_URL]",
    )
    .option(
      "--trust-proxy <proxies>",
      "number or addresses of the proxies in front of the service whose X-Forwarded-For to trust (default: none)",
    )
    .option(
      "--smtp-url <url>",
      "mail server for the sign-in codes of the portal; with a password, use the environment instead [env: CATALOG_SMTP_URL]",
    )
    .option("--mail-from <address>", "sender address of the sign-in codes [env: CATALOG_MAIL_FROM]")
    .addOption(
      new Option(
        "--log <format>",
        "a line on stderr for each response, with its route, status, duration and team",
      ).choices(["json"]),
    )
    .option(
      "--metrics-port <n>",
      "port of the Prometheus metrics, at /metrics on the address of --host; do not expose it",
      wholeNumber("--metrics-port", 0, 65_535),
    );
}
