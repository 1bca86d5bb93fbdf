import type { GlobalOptions } from "../../cli/flags/global.ts";
import { parseWhole, quoted } from "../../cli/flags/values.ts";
import { createReporter } from "../../cli/reporter.ts";
import type { Context } from "../../context.ts";
import { closest } from "../../contract/closest.ts";
import { UsageError } from "../../errors.ts";
import { SUITE_SLUGS } from "../../service/http/status/status-document.ts";
import { openIncident, resolveIncident, updateIncident } from "../../service/store/incidents.ts";
import type { IncidentSeverity, IncidentState } from "../../service/store/store.ts";
import { withDatabase, withExistingDatabase } from "./database-flag.ts";
import { writeListing } from "./listing.ts";
import type { IncidentFlags } from "./options.ts";

type Flags = IncidentFlags & { database: string };

export async function openIncidentCommand(
  title: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  const suite = flags.suite ?? SUITE_SLUGS[0] ?? "";
  if (!SUITE_SLUGS.includes(suite)) {
    throw new UsageError(
      `--suite ${quoted(suite)} is not a suite of this service; there are ${SUITE_SLUGS.join(", ")}.`,
      { flag: "--suite", value: suite, suggestions: closest(suite, SUITE_SLUGS, 1) },
    );
  }
  const incident = {
    title,
    suite,
    severity: (flags.severity ?? "minor") as IncidentSeverity,
    body: flags.body ?? title,
  };
  if (title.trim() === "") {
    throw new UsageError("the title of an incident must not be empty.");
  }
  const id = await withDatabase(flags.database, (store) => openIncident(store, incident, new Date(context.now())));
  await context.print(`${id}\n`);
  createReporter(globals, context).note(`Incident ${id} is open until \`catalog service incident resolve ${id}\`.`);
}

export async function listIncidentsCommand(flags: Flags, globals: GlobalOptions, context: Context): Promise<void> {
  const incidents = await withExistingDatabase(flags.database, (store) => store.incidents(""));
  const ordered = [
    ...incidents.filter(({ resolvedAt }) => resolvedAt === null),
    ...incidents.filter(({ resolvedAt }) => resolvedAt !== null),
  ];
  const documents = ordered.map(({ startedAt, resolvedAt, updates, ...incident }) => ({
    ...incident,
    started_at: startedAt,
    resolved_at: resolvedAt,
    updates: updates.map(({ postedAt, ...update }) => ({ ...update, posted_at: postedAt })),
  }));
  const rows = ordered.map(({ id, title, suite, severity, startedAt, updates }) => [
    String(id),
    updates[0]?.state ?? "",
    severity,
    startedAt.slice(0, 10),
    suite,
    title,
  ]);
  const columns = ["id", "state", "severity", "began", "suite", "title"];
  await writeListing({ format: flags.format, documents, columns, rows }, globals, context);
}

export async function updateIncidentCommand(
  id: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  const update = { state: flags.state as IncidentState, body: flags.body ?? "" };
  const number = parseWhole(id, "id", 1);
  await withExistingDatabase(flags.database, (store) => updateIncident(store, number, update, new Date(context.now())));
  createReporter(globals, context).note(`Incident ${id} is ${update.state} now.`);
}

export async function resolveIncidentCommand(
  id: string,
  flags: Flags,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  const number = parseWhole(id, "id", 1);
  const body = flags.body ?? "Resolved.";
  await withExistingDatabase(flags.database, (store) => resolveIncident(store, number, body, new Date(context.now())));
  createReporter(globals, context).note(`Incident ${id} is resolved.`);
}
