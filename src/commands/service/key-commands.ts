import { type Command, Option } from "commander";
import { parseGlobals } from "../../cli/flags/global.ts";
import { collect } from "../../cli/flags/values.ts";
import { SCOPES } from "../../contract/operations.ts";
import type { KeyFlags } from "./options.ts";
import { examples, type Shared } from "./shared.ts";

/** Declares `catalog service keys`. */
export function declareKeys(command: Command, { context, finish, complete }: Shared): void {
  command.description("API keys of the embedded service. A secret is shown once, when its key is created.");
  finish(
    command
      .command("create <name>")
      .summary("create a key and print its secret, once")
      .description(
        "Creates a key and prints its secret of 43 characters on stdout. It cannot be shown again. A team that does not exist yet is made with it.",
      )
      .addHelpText(
        "after",
        examples(
          "catalog service keys create laptop --output key",
          "catalog service keys create viewer --team sales --scope catalog:sample --retailer nordwind",
        ),
      )
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
      .option("-o, --output <file>", "write the secret to a new file that its owner alone can read, instead of stdout"),
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
      .addHelpText("after", examples("catalog service keys revoke laptop"))
      .option("--team <team>", "team of the key, where several have one of this name"),
  ).action(async (name: string, flags: KeyFlags, subcommand: Command) => {
    const { revokeKeyCommand } = await import("./keys.ts");
    await revokeKeyCommand(name, complete(flags), parseGlobals(subcommand), context);
  });
}
