import { join } from "node:path";
import type { Command } from "commander";
import { addReportingFlags, parseGlobals } from "../../cli/flags/global.ts";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../contract/limits.ts";
import { declareIncidents } from "./incident-commands.ts";
import { declareKeys } from "./key-commands.ts";
import type { LoadFlags, StartFlags } from "./options.ts";
import { examples, type Shared } from "./shared.ts";
import { declareTeams } from "./team-commands.ts";

/** Declares `catalog service` and its subcommands; the code of the service is loaded only when one of them runs. */
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
    "The embedded, complete implementation of the API: run it, fill it, manage its teams, keys and status feed.",
  );
  declareStart(command.command("start"), shared);
  declareLoad(command.command("load"), shared);
  declareTeams(command.command("teams").summary("say what teams may do and who belongs to them"), shared);
  declareKeys(command.command("keys").summary("create, list and revoke API keys"), shared);
  declareIncidents(command.command("incident").summary("record and list incidents of the status feed"), shared);
  command.addHelpText(
    "after",
    `
Examples:
  $ catalog service load rows.ndjson.gz
  $ catalog service keys create laptop --output key
  $ catalog service start`,
  );
}

function declareStart(command: Command, { context, finish, complete }: Shared): void {
  const { catalog, sample } = LIMITS.requestsPerWindow;
  finish(
    command
      .summary("serve the API and the developer portal")
      .description(
        "Serves the API and the developer portal until it is terminated; prints one line on stdout when it is ready.",
      )
      .addHelpText(
        "after",
        examples(
          "catalog service start",
          "catalog service start --port 0 --database rows.db --rate-limit 1000",
          "catalog service start --public-url https://api.example.com --trust-proxy 1 --smtp-url smtp://localhost --mail-from catalog@example.com",
        ),
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
      )
      .option(
        "--public-url <url>",
        "address under which others reach the service: base of links and of the `type` of errors; needed with --host other than loopback [env: CATALOG_PUBLIC_URL]",
      )
      .option(
        "--trust-proxy <proxies>",
        "believe X-Forwarded-For of the proxies in front: how many there are, or their addresses (default: none)",
      )
      .option(
        "--smtp-url <url>",
        "mail server for the sign-in codes of the portal; a password in it is safer in the environment [env: CATALOG_SMTP_URL]",
      )
      .option("--mail-from <address>", "address that the codes come from [env: CATALOG_MAIL_FROM]"),
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
