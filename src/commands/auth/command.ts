import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addGlobalFlags, parseGlobals } from "../../cli/flags/global.ts";
import { flagError, formatOption } from "../../cli/flags/values.ts";
import { configPath } from "../../config/config-file.ts";
import type { AuthStatusOptions } from "./key-status.ts";
import type { LoginOptions } from "./stored-key.ts";

interface AuthRuns {
  login: Run<LoginOptions>;
  status: Run<AuthStatusOptions>;
  logout: Run<Pick<LoginOptions, "globals">>;
}

const load: AuthRuns = {
  login: async (...call) => (await import("./stored-key.ts")).login(...call),
  status: async (...call) => (await import("./key-status.ts")).showAuthStatus(...call),
  logout: async (...call) => (await import("./stored-key.ts")).logout(...call),
};

export function declare(command: Command, context: Context, run = load): void {
  command.description("Stores, checks and removes an API key, in a profile of the configuration file.").addHelpText(
    "after",
    `
Configuration file: ${configPath(context) ?? "none, because there is no home folder"}

Examples:
  $ catalog auth login
  $ catalog auth status
  $ catalog auth logout --profile staging`,
  );
  declareLogin(command.command("login"), context, run.login);
  declareStatus(command.command("status"), context, run.status);
  declareLogout(command.command("logout"), context, run.logout);
}

function declareLogin(command: Command, context: Context, run: AuthRuns["login"]): void {
  const declared = command
    .summary("store a key")
    .description(
      "Stores the address of the service and an API key. At a terminal, it asks for the address, unless it is set, and for the key without showing it; otherwise it reads the key from stdin. No flag takes the key, because other users can see command lines.",
    )
    .option("--api-key-command <command>", "store this command instead of a key, and run it whenever a key is needed")
    .option("--no-check", "store the key without checking it with the service");
  addGlobalFlags(declared, [
    "catalog auth login",
    "catalog auth login --base-url https://api.example.com",
    "catalog auth login --profile ci < key.txt",
    'catalog auth login --api-key-command "op read op://team/catalog/key"',
  ]).action(async ({ apiKeyCommand, check }) => {
    if (apiKeyCommand?.trim() === "") {
      throw flagError("--api-key-command", "is empty.");
    }
    await run({ globals: parseGlobals(command), apiKeyCommand, check }, context);
  });
}

function declareStatus(command: Command, context: Context, run: AuthRuns["status"]): void {
  const declared = command
    .summary("check the key that is in use")
    .description("Shows the service, the key in use, its source, and its scopes and rate limits.")
    .addOption(formatOption(["text", "json"], "text"));
  addGlobalFlags(
    declared,
    ["catalog auth status", "catalog auth status --format json | jq .scopes"],
    `Sends two requests for a day without rows, which count against the rate limit.
Exit code: 0 if the service accepts the key, 3 if it does not or there is no key.`,
  ).action(({ format = "text" }) => run({ globals: parseGlobals(command), format }, context));
}

function declareLogout(command: Command, context: Context, run: AuthRuns["logout"]): void {
  command
    .summary("remove the key")
    .description("Removes the key, or the command that prints it, from the profile; the address stays.");
  addGlobalFlags(command, ["catalog auth logout", "catalog auth logout --profile staging"]).action(() =>
    run({ globals: parseGlobals(command) }, context),
  );
}
