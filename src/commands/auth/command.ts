import { type Command, Option } from "commander";
import { addGlobalFlags, parseGlobals } from "../../cli/flags/global.ts";
import { withinMaxTime } from "../../cli/max-time.ts";
import { configPath } from "../../config/file.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";

/** Declares `catalog auth` and its subcommands. */
export function declare(command: Command, context: Context): void {
  command.description("The API key: stored in a profile of the configuration file, checked, forgotten.").addHelpText(
    "after",
    `
Configuration file: ${configPath(context)}

Examples:
  $ catalog auth login --base-url https://api.example.com
  $ catalog auth status
  $ catalog auth logout --profile staging`,
  );
  declareLogin(command.command("login"), context);
  declareStatus(command.command("status"), context);
  declareLogout(command.command("logout"), context);
}

function declareLogin(command: Command, context: Context): void {
  command
    .summary("store a key")
    .description(
      "Stores the address of the service and an API key. The key is asked for without echo, or read from stdin where that is not a terminal; no flag takes it, since other users can see a command line.",
    )
    .option("--api-key-command <command>", "store this command in place of the key; it is run to print it")
    .option("--no-check", "store the key without asking the service");
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Examples:
  $ catalog auth login --base-url https://api.example.com
  $ catalog auth login --profile ci < key.txt
  $ catalog auth login --api-key-command "op read op://team/catalog/key"`,
    )
    .action(async (flags: { apiKeyCommand?: string; check: boolean }) => {
      if (flags.apiKeyCommand?.trim() === "") {
        throw new UsageError("--api-key-command is empty.", { flag: "--api-key-command" });
      }
      const { login } = await import("./login.ts");
      const { apiKeyCommand, check } = flags;
      const globals = parseGlobals(command);
      await withinMaxTime(globals, context, (signal) =>
        login({ globals, apiKeyCommand, check }, { ...context, signal }),
      );
    });
}

function declareStatus(command: Command, context: Context): void {
  command
    .summary("check the key that is in use")
    .description("Shows the service, the key in use and where it comes from, and what the service says of it.")
    .addOption(new Option("-f, --format <format>", "format of the output (default: text)").choices(["text", "json"]));
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Sends one request of each kind for a day without rows, which costs the rate limit two requests.
Exit code: 0 where the service takes the key, 3 where it does not or there is none.

Examples:
  $ catalog auth status
  $ catalog auth status --format json | jq .scopes`,
    )
    .action(async (flags: { format?: "text" | "json" }) => {
      const { showAuthStatus } = await import("./key-status.ts");
      const globals = parseGlobals(command);
      await withinMaxTime(globals, context, (signal) =>
        showAuthStatus({ globals, format: flags.format ?? "text" }, { ...context, signal }),
      );
    });
}

function declareLogout(command: Command, context: Context): void {
  command
    .summary("forget the key")
    .description("Removes the key, or the command that prints it, from the profile; the address stays.");
  addGlobalFlags(command)
    .addHelpText("after", "\nExamples:\n  $ catalog auth logout\n  $ catalog auth logout --profile staging")
    .action(async () => {
      const { logout } = await import("./logout.ts");
      await logout(parseGlobals(command), context);
    });
}
