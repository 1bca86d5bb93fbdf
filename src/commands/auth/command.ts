import type { Command } from "commander";
import { addGlobalFlags, parseGlobals } from "../../cli/flags/global.ts";
import { flagError, formatOption } from "../../cli/flags/values.ts";
import { withReporter } from "../../cli/reporter.ts";
import { configPath } from "../../config/config-file.ts";
import type { Context } from "../../context.ts";

export function declare(command: Command, context: Context): void {
  command
    .description("Stores, checks and removes an API key. The key is kept in a profile of the configuration file.")
    .addHelpText(
      "after",
      `
Configuration file: ${configPath(context)}

Examples:
  $ catalog auth login
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
      "Stores the address of the service and an API key. At a terminal it asks for the address, if none is set, and for the key without showing it; otherwise it reads the key from stdin. No flag takes the key, because other users can see a command line.",
    )
    .option("--api-key-command <command>", "store this command instead of the key; the tool runs it to get the key")
    .option("--no-check", "store the key without checking it with the service");
  addGlobalFlags(command, [
    "catalog auth login",
    "catalog auth login --base-url https://api.example.com",
    "catalog auth login --profile ci < key.txt",
    'catalog auth login --api-key-command "op read op://team/catalog/key"',
  ]).action(async (flags: { apiKeyCommand?: string; check: boolean }) => {
    if (flags.apiKeyCommand?.trim() === "") {
      throw flagError("--api-key-command", "is empty.");
    }
    const { login } = await import("./stored-key.ts");
    const globals = parseGlobals(command);
    await withReporter(globals, context, (reporter, signal) =>
      login({ ...flags, globals }, reporter, { ...context, signal }),
    );
  });
}

function declareStatus(command: Command, context: Context): void {
  command
    .summary("check the key that is in use")
    .description("Shows the service, the key in use, its source, and its scopes and rate limits.")
    .addOption(formatOption(["text", "json"], "text"));
  addGlobalFlags(
    command,
    ["catalog auth status", "catalog auth status --format json | jq .scopes"],
    `It sends two requests, for a day without rows; they count against the rate limit.
Exit code: 0 if the service accepts the key, 3 if it does not or there is no key.`,
  ).action(async (flags: { format?: "text" | "json" }) => {
    const { showAuthStatus } = await import("./key-status.ts");
    const globals = parseGlobals(command);
    await withReporter(globals, context, (reporter, signal) =>
      showAuthStatus(globals, flags.format, reporter, { ...context, signal }),
    );
  });
}

function declareLogout(command: Command, context: Context): void {
  command
    .summary("remove the key")
    .description("Removes the key, or the command that prints it, from the profile; the address stays.");
  addGlobalFlags(command, ["catalog auth logout", "catalog auth logout --profile staging"]).action(async () => {
    const { logout } = await import("./stored-key.ts");
    await logout(parseGlobals(command), context);
  });
}
