import { checkChoice, type FlagsOf, wholeNumber } from "../../cli/flags/values.ts";
import { textColumn } from "../../cli/terminal/tables/item-table.ts";
import { writeList } from "../../cli/write-list.ts";
import type { IncidentState } from "../../contract/status.ts";
import { SUITE_SLUGS } from "../../service/http/status/status-document.ts";
import { openIncident, updateIncident } from "../../service/store/manage-incidents.ts";
import { storeCommand } from "./database.ts";
import type { addIncidentFlags } from "./service-flags.ts";
import { parseRecordList, RECORD_COLUMNS, refuseEmpty } from "./subcommand.ts";

export const openIncidentCommand = storeCommand({
  creates: true,
  parse: (
    { suite = SUITE_SLUGS[0] ?? "", severity = "minor", body }: FlagsOf<typeof addIncidentFlags>,
    [title]: [string],
  ) => {
    checkChoice(suite, SUITE_SLUGS, "--suite");
    refuseEmpty(title, "the title of an incident");
    return { title, suite, severity, body: body ?? title };
  },
  run: async ({ options: { databaseFlag, ...incident }, store, reporter, context, now }) => {
    const id = await openIncident(store, incident, now);
    await context.print(`${id}\n`);
    reporter.note(
      `Incident ${id} is open. \`catalog service incident update ${id}${databaseFlag} --state identified --body TEXT\` names its cause.`,
    );
  },
});

export const listIncidentsCommand = storeCommand({
  parse: parseRecordList(RECORD_COLUMNS.incidents),
  run: async ({ options, store, reporter, context }) => {
    const incidents = await store.incidents("");
    const closedLast = (incident: { resolved_at: string | null }) => Number(incident.resolved_at !== null);
    const ordered = incidents.toSorted((a, b) => closedLast(a) - closedLast(b));
    await writeList(ordered, options, reporter, context, {
      known: RECORD_COLUMNS.incidents,
      table: [
        textColumn("id", ({ id }) => String(id)),
        textColumn("state", ({ updates }) => updates[0]?.state ?? ""),
        textColumn("severity", ({ severity }) => severity),
        textColumn("began", ({ started_at }) => started_at.slice(0, 10)),
        textColumn("suite", ({ suite }) => suite),
        textColumn("title", ({ title }) => title),
      ],
    });
  },
});

/** Without a state, it resolves the incident. */
export const updateIncidentCommand = storeCommand({
  parse: ({ state = "resolved", body = "Resolved." }: { state?: IncidentState; body?: string }, [id]: [string]) => ({
    id: parseId(id),
    state,
    body,
  }),
  run: async ({ options: { id, state, body }, store, reporter, now }) => {
    await updateIncident(store, id, { state, body }, now);
    reporter.note(`Incident ${id} is ${state}.`);
  },
});

const parseId = wholeNumber("id", 1);
