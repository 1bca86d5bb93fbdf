import { join } from "node:path";
import { type Command, Option } from "commander";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../contract/limits.ts";
import { SCOPES } from "../../contract/operations.ts";
import { INCIDENT_SEVERITIES, INCIDENT_STATES } from "../../contract/status.ts";
import type { IncidentFlags, KeyFlags, LoadFlags, ServiceFlags, StartFlags } from "./options.ts";

/** Declares `catalog service` and what is below it; nothing of the service is loaded before one of them runs. */
export function declare(command: Command, context: Context): void {
  const defaultDatabase = join(context.folders.data, "service.db");
  const shared: Shared = {
    context,
    finish: (subcommand) =>
      addReportingFlags(
        subcommand.option("--database <file>", `database of the service (default: ${defaultDatabase})`),
      ),
    complete: (flags) => ({ ...flags, database: flags.database ?? defaultDatabase }),
  };

  command.description(
    "The embedded, complete implementation of the API: run it, fill it, manage its keys and its status feed.",
  );
  declareStart(command.command("start"), shared);
  declareLoad(command.command("load"), shared);
  declareKeys(command.command("keys").summary("create, list and revoke API keys"), shared);
  declareIncidents(command.command("incident").summary("record incidents for the status feed"), shared);
  command.addHelpText(
    "after",
    `
Examples:
  $ catalog service load rows.ndjson.gz
  $ catalog service keys create laptop > key
  $ catalog service start`,
  );
}

/** What all the commands below `service` have in common. */
interface Shared {
  context: Context;
  /** Declares the flags that they share, after their own. */
  finish(command: Command): Command;
  /** Fills in the default database. */
  complete<Flags extends ServiceFlags>(flags: Flags): Flags & { database: string };
}

function declareStart(command: Command, { context, finish, complete }: Shared): void {
  const { catalog, sample } = LIMITS.requestsPerWindow;
  finish(
    command
      .summary("serve the API")
      .description("Serves the API until it is terminated; prints one line on stdout when it is ready.")
      .addHelpText(
        "after",
        examples("catalog service start", "catalog service start --port 0 --database rows.db --rate-limit 1000"),
      )
      .option("--host <address>", "address to listen on (default: 127.0.0.1)")
      .option("--port <n>", "port to listen on, 0 for a free one (default: 8787)")
      .option("--rate-limit <n>", `catalog and coverage requests of a team per window (default: ${catalog})`)
      .option("--sample-rate-limit <n>", `sample requests of a team per window (default: ${sample})`)
      .option("--window <seconds>", `length of a window (default: ${LIMITS.windowSeconds})`)
      .option("--cursor-ttl <duration>", "how long a cursor is taken (default: 1h)")
      .option("--query-timeout <duration>", "how long a query may take (default: 10s)")
      .option(
        "--error-base <url>",
        "address in the `type` of errors, without a final slash (default: the service itself)",
      ),
  ).action(async (flags: StartFlags, subcommand: Command) => {
    const { startCommand } = await import("./start.ts");
    await startCommand(complete(flags), parseGlobals(subcommand), context);
  });
}

function declareLoad(command: Command, { context, finish, complete }: Shared): void {
  finish(
    command
      .summary("load rows")
      .description("Loads NDJSON, CSV or Parquet files (.gz too), each whole or not at all; - reads standard input.")
      .addHelpText(
        "after",
        examples(
          "catalog service load rows.ndjson.gz",
          "catalog export --demo | catalog service load --database rows.db -",
        ),
      )
      .argument("<file...>", "files to load, or - for standard input"),
  ).action(async (files: string[], flags: LoadFlags) => {
    const { loadCommand } = await import("./load.ts");
    await loadCommand(files, complete(flags), command, context);
  });
}

function declareKeys(command: Command, { context, finish, complete }: Shared): void {
  const collect = (value: string, earlier: string[] = []) => [...earlier, value];
  command.description("API keys of the embedded service. A secret is shown once, when its key is created.");
  finish(
    command
      .command("create <name>")
      .summary("create a key and print its secret, once")
      .description("Creates a key and prints its secret of 43 characters on stdout. It cannot be shown again.")
      .addHelpText(
        "after",
        examples(
          "catalog service keys create laptop > key",
          "catalog service keys create viewer --team sales --scope catalog:sample --retailer nordwind",
        ),
      )
      .option("--team <team>", "team the key belongs to; limits are counted per team (default: default)")
      .addOption(
        new Option("--scope <scope>", "scope of the team, repeatable (default: all)")
          .choices(SCOPES)
          .argParser(collect),
      )
      .option("--retailer <slug>", "retailer that the team can see, repeatable (default: all)", collect),
  ).action(async (name: string, flags: KeyFlags, subcommand: Command) => {
    const { createKeyCommand } = await import("./keys.ts");
    await createKeyCommand(name, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("list")
      .summary("list the keys")
      .description("Lists the keys, revoked ones too; secrets are not kept and cannot be listed.")
      .addHelpText("after", examples("catalog service keys list", "catalog service keys list --format json"))
      .addOption(new Option("-f, --format <format>", "(default: table)").choices(["table", "json"])),
  ).action(async (flags: KeyFlags, subcommand: Command) => {
    const { listKeysCommand } = await import("./keys.ts");
    await listKeysCommand(complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("revoke <name>")
      .summary("revoke a key, effective on the next request")
      .description("Revokes a key; the next request with it is refused.")
      .addHelpText("after", examples("catalog service keys revoke laptop")),
  ).action(async (name: string, flags: KeyFlags, subcommand: Command) => {
    const { revokeKeyCommand } = await import("./keys.ts");
    await revokeKeyCommand(name, complete(flags), parseGlobals(subcommand), context);
  });
}

function declareIncidents(command: Command, { context, finish, complete }: Shared): void {
  command.description("Incidents that the status feed shows.");
  finish(
    command
      .command("open <title>")
      .summary("open an incident and print its id")
      .description("Opens an incident, in the state investigating, and prints its id on stdout.")
      .addHelpText("after", examples('catalog service incident open "Slow answers" --severity minor'))
      .addOption(new Option("--severity <severity>", "(default: minor)").choices(INCIDENT_SEVERITIES))
      .option("--suite <slug>", "suite that is affected (default: catalog-api)")
      .option("--body <text>", "what is known (default: the title)"),
  ).action(async (title: string, flags: IncidentFlags, subcommand: Command) => {
    const { openIncidentCommand } = await import("./incident.ts");
    await openIncidentCommand(title, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("update <id>")
      .summary("add an update")
      .description("Adds an update to an open incident.")
      .addHelpText("after", examples('catalog service incident update 1 --state identified --body "A disk is full."'))
      .addOption(new Option("--state <state>", "state from now on").choices(INCIDENT_STATES).makeOptionMandatory())
      .requiredOption("--body <text>", "what is known"),
  ).action(async (id: string, flags: IncidentFlags, subcommand: Command) => {
    const { updateIncidentCommand } = await import("./incident.ts");
    await updateIncidentCommand(id, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("resolve <id>")
      .summary("resolve an incident")
      .description("Ends an incident with a last update.")
      .addHelpText("after", examples("catalog service incident resolve 1"))
      .option("--body <text>", "what was done (default: Resolved.)"),
  ).action(async (id: string, flags: IncidentFlags, subcommand: Command) => {
    const { resolveIncidentCommand } = await import("./incident.ts");
    await resolveIncidentCommand(id, complete(flags), parseGlobals(subcommand), context);
  });
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
