import { type Command, Option } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { formatOption } from "../../cli/flags/values.ts";
import { INCIDENT_STATES } from "../../contract/status.ts";
import { addGrantFlags, addIncidentFlags, addKeyFlags } from "./service-flags.ts";
import { addRecordList, RECORD_COLUMNS, subcommandsOf } from "./subcommand.ts";

export function declareTeams(command: Command, context: Context, run: Run<unknown> | undefined): void {
  command.description(
    "A team has scopes and visible retailers, which apply to all its keys. Its members sign in to the developer portal with their e-mail address.",
  );
  const add = subcommandsOf(command, context, run);
  add("create <name>", {
    summary: "create a team",
    description: "Creates a team. Without --scope it has every scope; without --retailer it can see every retailer.",
    examples: ["catalog service teams create sales --scope catalog:sample --retailer nordwind"],
    options: addGrantFlags,
    load: async () => (await import("./teams.ts")).createTeamCommand,
  });
  add("list", {
    summary: "list the teams",
    description: "Lists the teams with their scopes and retailers, and the numbers of their members and keys.",
    examples: ["catalog service teams list", "catalog service teams list --format json"],
    options: addRecordList(RECORD_COLUMNS.teams),
    load: async () => (await import("./teams.ts")).listTeamsCommand,
  });
  add("show <name>", {
    summary: "show a team, its members and its keys",
    description: "Shows the scopes, retailers, members and keys of a team.",
    examples: ["catalog service teams show sales"],
    options: (show) => show.addOption(formatOption(["table", "json"], "table")),
    load: async () => (await import("./teams.ts")).showTeamCommand,
  });
  add("grant <name>", {
    summary: "change the scopes or retailers of a team",
    description:
      "Replaces the scopes, the visible retailers, or both, effective on the next request with each key. What is not given stays.",
    examples: [
      "catalog service teams grant sales --scope catalog:sample --scope catalog:read",
      "catalog service teams grant sales --all-retailers",
    ],
    options: addGrantFlags,
    load: async () => (await import("./teams.ts")).grantTeamCommand,
  });
  add("delete <name>", {
    summary: "delete a team, its keys and its members' access",
    description:
      "Deletes a team with its revoked keys, and ends its members' access to the portal at once. A team with valid keys is deleted only with --revoke-keys: the next request with each of them is refused.",
    examples: ["catalog service teams delete sales", "catalog service teams delete sales --revoke-keys"],
    options: (remove) => remove.option("--revoke-keys", "even if the team has valid keys"),
    load: async () => (await import("./teams.ts")).deleteTeamCommand,
  });
  const members = command.command("members").summary("manage who may sign in for a team");
  members.description("The members of a team may sign in to the developer portal and manage the team's keys.");
  const addToMembers = subcommandsOf(members, context, run);
  addToMembers("add <team> <email>", {
    summary: "let a person sign in for the team",
    description: "Lets the person with this e-mail address sign in to the developer portal for the team.",
    examples: ["catalog service teams members add sales ada@example.com"],
    load: async () => (await import("./teams.ts")).addMemberCommand,
  });
  addToMembers("remove <team> <email>", {
    summary: "end a person's access to the portal",
    description: "Ends the person's sessions in the developer portal at once. The team's keys stay valid.",
    examples: ["catalog service teams members remove sales ada@example.com"],
    load: async () => (await import("./teams.ts")).removeMemberCommand,
  });
}

export function declareKeys(command: Command, context: Context, run: Run<unknown> | undefined): void {
  command.description("API keys of the embedded service. A secret is shown once, when its key is created.");
  const add = subcommandsOf(command, context, run);
  add("create <name>", {
    summary: "create a key and print its secret, once",
    description:
      "Creates a key and prints its secret of 43 characters on stdout. The secret cannot be shown again. A team that does not exist yet is created if --scope, --retailer or --all-retailers is given.",
    examples: [
      "catalog service keys create laptop --output key",
      "catalog service keys create viewer --team viewers --scope catalog:sample --retailer nordwind",
    ],
    options: addKeyFlags,
    load: async () => (await import("./keys.ts")).createKeyCommand,
  });
  add("list", {
    summary: "list the keys",
    description: "Lists all keys, including revoked ones. Secrets are not stored and cannot be listed.",
    examples: ["catalog service keys list", "catalog service keys list --format json"],
    options: addRecordList(RECORD_COLUMNS.keys),
    load: async () => (await import("./keys.ts")).listKeysCommand,
  });
  add("revoke <name>", {
    summary: "revoke a key, effective on the next request",
    description: "Revokes a key; the next request with it is refused.",
    examples: ["catalog service keys revoke laptop"],
    options: (revoke) =>
      revoke.option("--team <team>", "team of the key; needed if several teams have a key of this name"),
    load: async () => (await import("./keys.ts")).revokeKeyCommand,
  });
}

export function declareIncidents(command: Command, context: Context, run: Run<unknown> | undefined): void {
  command.description("The incidents that the status feed shows.");
  const add = subcommandsOf(command, context, run);
  add("list", {
    summary: "list the incidents with their ids",
    description: "Lists the incidents: open ones first, then by start, the newest first.",
    examples: ["catalog service incident list", "catalog service incident list --format json"],
    options: addRecordList(RECORD_COLUMNS.incidents),
    load: async () => (await import("./incidents.ts")).listIncidentsCommand,
  });
  add("open <title>", {
    summary: "open an incident and print its id",
    description: "Opens an incident in the state investigating, and prints its id on stdout.",
    examples: ['catalog service incident open "Slow responses" --severity minor'],
    options: addIncidentFlags,
    load: async () => (await import("./incidents.ts")).openIncidentCommand,
  });
  add("update <id>", {
    summary: "add an update",
    description:
      "Adds an update to an open incident. The order of states is investigating, identified, monitoring, resolved; monitoring may be skipped, and an update may keep the state.",
    examples: ['catalog service incident update 1 --state identified --body "A disk is full."'],
    options: (update) =>
      update
        .addOption(new Option("--state <state>", "the new state").choices(INCIDENT_STATES).makeOptionMandatory())
        .requiredOption("--body <text>", "what is known"),
    load: async () => (await import("./incidents.ts")).updateIncidentCommand,
  });
  add("resolve <id>", {
    summary: "resolve an incident",
    description: "Ends an incident that is identified or monitored, with a last update.",
    examples: ["catalog service incident resolve 1"],
    options: (resolve) => resolve.option("--body <text>", "what was done (default: Resolved.)"),
    load: async () => (await import("./incidents.ts")).updateIncidentCommand,
  });
}
