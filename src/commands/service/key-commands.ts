import { type Command, Option } from "commander";
import { collect } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { SCOPES } from "../../contract/operations.ts";
import type { CreateKeyFlags } from "./keys.ts";
import { addListingFormat, addSubcommand, type Call, type ListingFlags } from "./subcommand.ts";

/** Declares `catalog service keys`. */
export function declareKeys(command: Command, context: Context): void {
  command.description("API keys of the embedded service. A secret is shown once, when its key is created.");
  addSubcommand(command, "create <name>", context, {
    summary: "create a key and print its secret, once",
    description:
      "Creates a key and prints its secret of 43 characters on stdout. The secret cannot be shown again. If the team does not exist yet, it is created.",
    examples: [
      "catalog service keys create laptop --output key",
      "catalog service keys create viewer --team sales --scope catalog:sample --retailer nordwind",
    ],
    options: addCreateFlags,
    run: async (call: Call<CreateKeyFlags>, name: string) => (await import("./keys.ts")).createKeyCommand(call, name),
  });
  addSubcommand(command, "list", context, {
    summary: "list the keys",
    description: "Lists all keys, including revoked ones. Secrets are not stored and cannot be listed.",
    examples: ["catalog service keys list", "catalog service keys list --format json"],
    options: addListingFormat,
    run: async (call: Call<ListingFlags>) => (await import("./keys.ts")).listKeysCommand(call),
  });
  addSubcommand(command, "revoke <name>", context, {
    summary: "revoke a key, effective on the next request",
    description: "Revokes a key; the next request with it is refused.",
    examples: ["catalog service keys revoke laptop"],
    options: (revoke) =>
      revoke.option("--team <team>", "team of the key; needed if several teams have a key of this name"),
    run: async (call: Call<{ team?: string }>, name: string) =>
      (await import("./keys.ts")).revokeKeyCommand(call, name),
  });
}

function addCreateFlags(command: Command): Command {
  return command
    .option(
      "--team <team>",
      "team that the key belongs to; scopes, retailers and limits are the team's (default: default)",
    )
    .addOption(
      new Option("--scope <scope>", "scope of a new team, repeatable (default: all)")
        .choices(SCOPES)
        .argParser(collect),
    )
    .option("--retailer <slug>", "retailer that a new team can see, repeatable (default: all)", collect)
    .option("-o, --output <file>", "write the secret to a new file that only its owner can read, instead of stdout");
}
