import { type Command, Option } from "commander";
import { parseGlobals } from "../../cli/flags/global.ts";
import { collect } from "../../cli/flags/values.ts";
import { SCOPES } from "../../contract/operations.ts";
import type { TeamFlags } from "./options.ts";
import { examples, type Shared } from "./shared.ts";

/** Declares `catalog service teams`. */
export function declareTeams(command: Command, { context, finish, complete }: Shared): void {
  command.description(
    "Teams: scopes and visible retailers belong to a team, and so to all its keys. Members sign in to the developer portal with their e-mail address.",
  );
  finish(
    withGrants(
      command
        .command("create <name>")
        .summary("create a team")
        .description("Creates a team. Without --scope it has every scope, without --retailer it sees every retailer.")
        .addHelpText(
          "after",
          examples("catalog service teams create sales --scope catalog:sample --retailer nordwind"),
        ),
    ),
  ).action(async (name: string, flags: TeamFlags, subcommand: Command) => {
    const { createTeamCommand } = await import("./teams.ts");
    await createTeamCommand(name, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    withFormat(
      command
        .command("list")
        .summary("list the teams")
        .description("Lists the teams with what they may do.")
        .addHelpText("after", examples("catalog service teams list", "catalog service teams list --format json")),
    ),
  ).action(async (flags: TeamFlags, subcommand: Command) => {
    const { listTeamsCommand } = await import("./teams.ts");
    await listTeamsCommand(complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    withFormat(
      command
        .command("show <name>")
        .summary("show a team, its members and its keys")
        .description("Shows what a team may do, who belongs to it and which keys it has.")
        .addHelpText("after", examples("catalog service teams show sales")),
    ),
  ).action(async (name: string, flags: TeamFlags) => {
    const { showTeamCommand } = await import("./teams.ts");
    await showTeamCommand(name, complete(flags), context);
  });
  finish(
    withGrants(
      command
        .command("grant <name>")
        .summary("change what a team may do")
        .description(
          "Replaces the scopes, the visible retailers or both, from the next request of each key on. What is not named stays.",
        )
        .addHelpText(
          "after",
          examples(
            "catalog service teams grant sales --scope catalog:sample --scope catalog:read",
            "catalog service teams grant sales --all-retailers",
          ),
        ),
    ).option("--all-retailers", "the team can see every retailer"),
  ).action(async (name: string, flags: TeamFlags, subcommand: Command) => {
    const { grantTeamCommand } = await import("./teams.ts");
    await grantTeamCommand(name, complete(flags), parseGlobals(subcommand), context);
  });
  const members = command.command("members").summary("say who may sign in for a team");
  members.description("The people of a team: who may sign in to the developer portal and manage the team's keys.");
  finish(
    members
      .command("add <team> <email>")
      .summary("let a person sign in for the team")
      .description("Lets the person with this e-mail address sign in to the developer portal for the team.")
      .addHelpText("after", examples("catalog service teams members add sales ada@example.com")),
  ).action(async (team: string, email: string, flags: TeamFlags, subcommand: Command) => {
    const { addMemberCommand } = await import("./teams.ts");
    await addMemberCommand(team, email, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    members
      .command("remove <team> <email>")
      .summary("end a person's access to the portal")
      .description("Ends the person's sessions in the developer portal at once. The keys of the team stay.")
      .addHelpText("after", examples("catalog service teams members remove sales ada@example.com")),
  ).action(async (team: string, email: string, flags: TeamFlags, subcommand: Command) => {
    const { removeMemberCommand } = await import("./teams.ts");
    await removeMemberCommand(team, email, complete(flags), parseGlobals(subcommand), context);
  });
}

function withGrants(command: Command): Command {
  return command
    .addOption(new Option("--scope <scope>", "scope of the team, repeatable").choices(SCOPES).argParser(collect))
    .option("--retailer <slug>", "retailer that the team can see, repeatable", collect);
}

function withFormat(command: Command): Command {
  return command.addOption(new Option("-f, --format <format>", "(default: table)").choices(["table", "json"]));
}
