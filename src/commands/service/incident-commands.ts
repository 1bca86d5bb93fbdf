import { type Command, Option } from "commander";
import { parseGlobals } from "../../cli/flags/global.ts";
import { INCIDENT_SEVERITIES, INCIDENT_STATES } from "../../contract/status.ts";
import type { IncidentFlags } from "./options.ts";
import { examples, type Shared } from "./shared.ts";

/** Declares `catalog service incident`. */
export function declareIncidents(command: Command, { context, finish, complete }: Shared): void {
  command.description("Incidents that the status feed shows.");
  finish(
    command
      .command("list")
      .summary("list the incidents with their ids")
      .description("Lists the incidents, open ones first, then by the time they began, the newest first.")
      .addHelpText("after", examples("catalog service incident list", "catalog service incident list --format json"))
      .addOption(new Option("-f, --format <format>", "(default: table)").choices(["table", "json"])),
  ).action(async (flags: IncidentFlags, subcommand: Command) => {
    const { listIncidentsCommand } = await import("./incident.ts");
    await listIncidentsCommand(complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("open <title>")
      .summary("open an incident and print its id")
      .description("Opens an incident, in the state investigating, and prints its id on stdout.")
      .addHelpText("after", examples('catalog service incident open "Slow answers" --severity minor'))
      .addOption(new Option("--severity <severity>", "(default: minor)").choices(INCIDENT_SEVERITIES))
      .option("--suite <slug>", "suite that is affected (default: catalog-api)")
      .option("--body <text>", "what is known (default: the title)"),
  ).action(async (title: string, flags: IncidentFlags, subcommand: Command) => {
    const { openIncidentCommand } = await import("./incident.ts");
    await openIncidentCommand(title, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("update <id>")
      .summary("add an update")
      .description("Adds an update to an open incident.")
      .addHelpText("after", examples('catalog service incident update 1 --state identified --body "A disk is full."'))
      .addOption(new Option("--state <state>", "state from now on").choices(INCIDENT_STATES).makeOptionMandatory())
      .requiredOption("--body <text>", "what is known"),
  ).action(async (id: string, flags: IncidentFlags, subcommand: Command) => {
    const { updateIncidentCommand } = await import("./incident.ts");
    await updateIncidentCommand(id, complete(flags), parseGlobals(subcommand), context);
  });
  finish(
    command
      .command("resolve <id>")
      .summary("resolve an incident")
      .description("Ends an incident with a last update.")
      .addHelpText("after", examples("catalog service incident resolve 1"))
      .option("--body <text>", "what was done (default: Resolved.)"),
  ).action(async (id: string, flags: IncidentFlags, subcommand: Command) => {
    const { resolveIncidentCommand } = await import("./incident.ts");
    await resolveIncidentCommand(id, complete(flags), parseGlobals(subcommand), context);
  });
}
