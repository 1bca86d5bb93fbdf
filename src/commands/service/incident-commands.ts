import { type Command, Option } from "commander";
import type { Context } from "../../context.ts";
import { INCIDENT_SEVERITIES, INCIDENT_STATES } from "../../contract/status.ts";
import type { OpenIncidentFlags, UpdateIncidentFlags } from "./incidents.ts";
import { addListingFormat, addSubcommand, type Call, type ListingFlags } from "./subcommand.ts";

/** Declares `catalog service incident`. */
export function declareIncidents(command: Command, context: Context): void {
  command.description("The incidents that the status feed shows.");
  addSubcommand(command, "list", context, {
    summary: "list the incidents with their ids",
    description: "Lists the incidents: open ones first, then by start, the newest first.",
    examples: ["catalog service incident list", "catalog service incident list --format json"],
    options: addListingFormat,
    run: async (call: Call<ListingFlags>) => (await import("./incidents.ts")).listIncidentsCommand(call),
  });
  addSubcommand(command, "open <title>", context, {
    summary: "open an incident and print its id",
    description: "Opens an incident in the state investigating, and prints its id on stdout.",
    examples: ['catalog service incident open "Slow answers" --severity minor'],
    options: (open) =>
      open
        .addOption(new Option("--severity <severity>", "(default: minor)").choices(INCIDENT_SEVERITIES))
        .option("--suite <slug>", "suite that is affected (default: catalog-api)")
        .option("--body <text>", "what is known (default: the title)"),
    run: async (call: Call<OpenIncidentFlags>, title: string) =>
      (await import("./incidents.ts")).openIncidentCommand(call, title),
  });
  addSubcommand(command, "update <id>", context, {
    summary: "add an update",
    description: "Adds an update to an open incident.",
    examples: ['catalog service incident update 1 --state identified --body "A disk is full."'],
    options: (update) =>
      update
        .addOption(new Option("--state <state>", "the new state").choices(INCIDENT_STATES).makeOptionMandatory())
        .requiredOption("--body <text>", "what is known"),
    run: async (call: Call<UpdateIncidentFlags>, id: string) =>
      (await import("./incidents.ts")).updateIncidentCommand(call, id),
  });
  addSubcommand(command, "resolve <id>", context, {
    summary: "resolve an incident",
    description: "Ends an incident with a last update.",
    examples: ["catalog service incident resolve 1"],
    options: (resolve) => resolve.option("--body <text>", "what was done (default: Resolved.)"),
    run: async (call: Call<{ body?: string }>, id: string) =>
      (await import("./incidents.ts")).resolveIncidentCommand(call, id),
  });
}
