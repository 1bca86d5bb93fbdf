import type { Command } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import {
  addListOutput,
  columnsOption,
  type ListingOptions,
  parseListing,
  TABLE_FORMATS,
  type TableFormat,
} from "../../cli/flags/output.ts";
import { startReporting } from "../../cli/reporter.ts";
import { type ItemColumn, numberColumn, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { writeList } from "../../cli/write-list.ts";
import type { ColumnType } from "../../export/formats/encoder.ts";
import { readSyncedFolder } from "../../folder/folder-state.ts";
import { readSyncLog, SYNC_LOG_COLUMNS, type SyncLogEntry } from "../../folder/sync-log.ts";

export interface SyncLogOptions extends ListingOptions<TableFormat> {
  globals: GlobalOptions;
  folder: string;
}

export function declareLog(command: Command, context: Context, run: Run<SyncLogOptions> = runSyncLog): void {
  const named = command
    .summary("list the runs of a folder")
    .description(
      "The runs of `catalog sync` on a folder, the oldest first: when, how many rows and days they changed, their requests, and how they ended. A run that was killed is missing.",
    )
    .argument("<dir>", "a folder of `catalog sync`");
  const listed = addListOutput(named).addOption(
    columnsOption("columns to write, in this order: started_at,outcome", SYNC_LOG_COLUMNS),
  );
  const declared = addListFlags(listed, "started_at", SYNC_LOG_COLUMNS);
  addReportingFlags(declared, [
    "catalog sync log rows",
    "catalog sync log rows --sort started_at:desc -n 5",
    "catalog sync log rows -f ndjson | jq 'select(.outcome != \"done\")'",
  ]).action((folder, flags) => {
    const listing = parseListing(flags, TABLE_FORMATS, context, SYNC_LOG_COLUMNS);
    return run({ ...listing, globals: parseGlobals(command), folder }, context);
  });
}

const COUNT: ColumnType = { kind: "integer", nullable: true };

/** The types of the columns in Parquet that are not texts. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  seconds: { kind: "number", nullable: false },
  rows_added: COUNT,
  rows_replaced: COUNT,
  rows_removed: COUNT,
  days_changed: COUNT,
  requests: COUNT,
};

async function runSyncLog(options: SyncLogOptions, context: Context): Promise<void> {
  using reporting = startReporting(options.globals, context);
  await readSyncedFolder(options.folder);
  const runs = await readSyncLog(options.folder);
  const view = { known: SYNC_LOG_COLUMNS, types: TYPES, table: TABLE };
  await writeList(runs, options, reporting.reporter, context, view);
}

const TABLE: readonly ItemColumn<SyncLogEntry>[] = [
  textColumn("when", ({ started_at }) => started_at.slice(0, 19).replace("T", " "), { rigid: true }),
  numberColumn("seconds", ({ seconds }) => seconds),
  numberColumn("added", ({ rows_added }) => rows_added),
  numberColumn("replaced", ({ rows_replaced }) => rows_replaced),
  numberColumn("removed", ({ rows_removed }) => rows_removed),
  numberColumn("days", ({ days_changed }) => days_changed),
  numberColumn("requests", ({ requests }) => requests),
  textColumn("outcome", ({ outcome }) => outcome),
];
