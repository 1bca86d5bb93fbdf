import { checkChoice, wholeNumber } from "../../cli/flags/values.ts";
import type { IncidentSeverity, IncidentState } from "../../contract/status.ts";
import { itemTable, textColumn } from "../../output/terminal/tables/item-table.ts";
import { SUITE_SLUGS } from "../../service/http/status/status-document.ts";
import { openIncident, resolveIncident, updateIncident } from "../../service/store/manage-incidents.ts";
import { withDatabase, withExistingDatabase } from "./database.ts";
import { type ListingFlags, refuseEmpty, type ServiceCall } from "./subcommand.ts";
import { writeListing } from "./write-listing.ts";

export interface OpenIncidentFlags {
  severity?: IncidentSeverity;
  suite?: string;
  body?: string;
}

export interface UpdateIncidentFlags {
  state: IncidentState;
  body: string;
}

export async function openIncidentCommand(call: ServiceCall<OpenIncidentFlags>, title: string): Promise<void> {
  const { flags, databaseFlag, reporter, context, now } = call;
  const { suite = SUITE_SLUGS[0] ?? "", severity = "minor", body = title } = flags;
  checkChoice(suite, SUITE_SLUGS, "--suite");
  refuseEmpty(title, "the title of an incident");
  const id = await withDatabase(flags.database, (store) => openIncident(store, { title, suite, severity, body }, now));
  await context.print(`${id}\n`);
  reporter.note(
    `Incident ${id} is open. \`catalog service incident update ${id}${databaseFlag} --state identified --body TEXT\` names its cause.`,
  );
}

export async function listIncidentsCommand(call: ServiceCall<ListingFlags>): Promise<void> {
  const incidents = await withExistingDatabase(call.flags.database, (store) => store.incidents(""));
  const closedLast = (incident: { resolved_at: string | null }) => Number(incident.resolved_at !== null);
  const ordered = incidents.toSorted((a, b) => closedLast(a) - closedLast(b));
  const table = itemTable(ordered, [
    textColumn("id", ({ id }) => String(id)),
    textColumn("state", ({ updates }) => updates[0]?.state ?? ""),
    textColumn("severity", ({ severity }) => severity),
    textColumn("began", ({ started_at }) => started_at.slice(0, 10)),
    textColumn("suite", ({ suite }) => suite),
    textColumn("title", ({ title }) => title),
  ]);
  await writeListing(call, ordered, table);
}

export async function updateIncidentCommand(call: ServiceCall<UpdateIncidentFlags>, id: string): Promise<void> {
  const { flags, reporter, now } = call;
  const { database, state, body } = flags;
  const number = parseId(id);
  await withExistingDatabase(database, (store) => updateIncident(store, number, { state, body }, now));
  reporter.note(`Incident ${id} is in the state ${state}.`);
}

export async function resolveIncidentCommand(call: ServiceCall<{ body?: string }>, id: string): Promise<void> {
  const { flags, reporter, now } = call;
  const { database, body = "Resolved." } = flags;
  const number = parseId(id);
  await withExistingDatabase(database, (store) => resolveIncident(store, number, body, now));
  reporter.note(`Incident ${id} is resolved.`);
}

const parseId = wholeNumber("id", 1);
