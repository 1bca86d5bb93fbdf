import { type Command, Option } from "@commander-js/extra-typings";
import { addFilterFlags } from "../../cli/flags/filter.ts";
import { collectValues, dateExpression, duration, type FlagsOf, flagSet, wholeNumber } from "../../cli/flags/values.ts";
import { LIMITS } from "../../contract/limits.ts";
import { SCOPES } from "../../contract/operations.ts";
import { INCIDENT_SEVERITIES } from "../../contract/status.ts";

export type GrantFlags = FlagsOf<typeof addGrantFlags>;

export function addStartFlags(command: Command) {
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
    .option("--window <seconds>", "length of a rate-limit window", wholeNumber("--window", 1), LIMITS.windowSeconds)
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
    )
    .option(
      "--public-url <url>",
      "address at which clients reach the service, including its path; used in links and in the `type` of errors; required if --host is not loopback [env: CATALOG_PUBLIC_URL]",
    )
    .option(
      "--trust-proxy <proxies>",
      "trust X-Forwarded-For from this many proxies in front of the service, or from these addresses (default: none)",
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

export function addLoadFlags(command: Command) {
  return command
    .option(
      "--replace",
      "replace stored rows with the same product_id; without it, other values of a stored product_id are an error",
    )
    .option("--retailer <slug>", "with --replace and --date: the file replaces all rows of this retailer and day")
    .option(
      "--date <day>",
      "with --replace and --retailer: the day, YYYY-MM-DD, today, yesterday or 7d",
      dateExpression("--date"),
    );
}

export function addRemoveFlags(command: Command) {
  return addFilterFlags(command)
    .option("--all", "remove every row")
    .option("--dry-run", "only say how many rows would be removed");
}

export const addGrantFlags = flagSet((command, team: string = "the team", byDefault: string = "") => {
  const repeatable = `repeatable, or a comma list${byDefault}`;
  const scope = new Option("--scope <scope>", `scope of ${team}, ${repeatable}`);
  return command
    .addOption(scope.choices(SCOPES).argParser(collectValues))
    .option("--retailer <slug>", `retailer that ${team} can see, ${repeatable}`, collectValues)
    .option("--all-retailers", `${team} can see every retailer`);
});

export function addKeyFlags(command: Command) {
  const team = "team that the key belongs to; scopes, retailers and limits are the team's (default: default)";
  return addGrantFlags(command.option("--team <team>", team), "a new team", " (default: all)").option(
    "-o, --output <file>",
    "write the secret to a new file that only its owner can read, instead of stdout",
  );
}

export function addIncidentFlags(command: Command) {
  return command
    .addOption(new Option("--severity <severity>", "how bad it is (default: minor)").choices(INCIDENT_SEVERITIES))
    .option("--suite <slug>", "affected suite (default: catalog-api)")
    .option("--body <text>", "what is known (default: the title)");
}
