import { type Command, Option } from "commander";
import { collect } from "../../cli/flags/values.ts";
import type { Context } from "../../context.ts";
import { SCOPES } from "../../contract/operations.ts";
import { addListingFormat, addSubcommand, type Call, type ListingFlags } from "./subcommand.ts";
import type { GrantFlags } from "./teams.ts";

/** Declares `catalog service teams`. */
export function declareTeams(command: Command, context: Context): void {
  command.description(
    "A team has scopes and visible retailers, which apply to all its keys. Its members sign in to the developer portal with their e-mail address.",
  );
  addSubcommand(command, "create <name>", context, {
    summary: "create a team",
    description: "Creates a team. Without --scope it has every scope; without --retailer it can see every retailer.",
    examples: ["catalog service teams create sales --scope catalog:sample --retailer nordwind"],
    options: addGrantFlags,
    run: async (call: Call<GrantFlags>, name: string) => (await import("./teams.ts")).createTeamCommand(call, name),
  });
  addSubcommand(command, "list", context, {
    summary: "list the teams",
    description: "Lists the teams with their scopes and retailers, and the numbers of their members and keys.",
    examples: ["catalog service teams list", "catalog service teams list --format json"],
    options: addListingFormat,
    run: async (call: Call<ListingFlags>) => (await import("./teams.ts")).listTeamsCommand(call),
  });
  addSubcommand(command, "show <name>", context, {
    summary: "show a team, its members and its keys",
    description: "Shows the scopes, retailers, members and keys of a team.",
    examples: ["catalog service teams show sales"],
    options: addListingFormat,
    run: async (call: Call<ListingFlags>, name: string) => (await import("./teams.ts")).showTeamCommand(call, name),
  });
  addSubcommand(command, "grant <name>", context, {
    summary: "change the scopes or retailers of a team",
    description:
      "Replaces the scopes, the visible retailers, or both, from the next request of each key on. Whatever is not given stays as it is.",
    examples: [
      "catalog service teams grant sales --scope catalog:sample --scope catalog:read",
      "catalog service teams grant sales --all-retailers",
    ],
    options: (grant) => addGrantFlags(grant).option("--all-retailers", "the team can see every retailer"),
    run: async (call: Call<GrantFlags>, name: string) => (await import("./teams.ts")).grantTeamCommand(call, name),
  });
  const members = command.command("members").summary("manage who may sign in for a team");
  members.description("The members of a team may sign in to the developer portal and manage the team's keys.");
  addSubcommand(members, "add <team> <email>", context, {
    summary: "let a person sign in for the team",
    description: "Lets the person with this e-mail address sign in to the developer portal for the team.",
    examples: ["catalog service teams members add sales ada@example.com"],
    run: async (call: Call, team: string, email: string) =>
      (await import("./teams.ts")).addMemberCommand(call, team, email),
  });
  addSubcommand(members, "remove <team> <email>", context, {
    summary: "end a person's access to the portal",
    description: "Ends the person's sessions in the developer portal at once. The team's keys stay valid.",
    examples: ["catalog service teams members remove sales ada@example.com"],
    run: async (call: Call, team: string, email: string) =>
      (await import("./teams.ts")).removeMemberCommand(call, team, email),
  });
}

function addGrantFlags(command: Command): Command {
  return command
    .addOption(new Option("--scope <scope>", "scope of the team, repeatable").choices(SCOPES).argParser(collect))
    .option("--retailer <slug>", "retailer that the team can see, repeatable", collect);
}
