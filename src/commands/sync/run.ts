import { join } from "node:path";
import type { Context } from "../../cli/context.ts";
import { errorEntryOf } from "../../cli/errors/error-table.ts";
import { observeLimits, printEstimate } from "../../cli/estimate-view.ts";
import { rereadObserver, showProgress } from "../../cli/pull-progress.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { newestDay } from "../../cli/source/empty-result.ts";
import { VERSION } from "../../cli/version.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import { LIMITS } from "../../contract/limits.ts";
import { isFromLatest } from "../../contract/values/date-expression.ts";
import { firstFew, plural } from "../../contract/values/phrases.ts";
import { planSync, type SyncResult, syncFolder } from "../../folder/sync/sync.ts";
import { logSync } from "../../folder/sync-log.ts";
import { timeOf } from "../../pull/estimate.ts";
import { filtersAsFlags, namedRetailers } from "../../pull/written-filters.ts";
import type { SyncOptions } from "./options.ts";

export async function runSync(options: SyncOptions, context: Context): Promise<void> {
  await (options.dryRun ? showCost(options, context) : sync(options, context));
}

async function sync(options: SyncOptions, context: Context): Promise<void> {
  const startedAt = new Date(context.now()).toISOString();
  const begun = context.elapsed();
  // No filters yet: `syncFolder` resolves them, because those that the folder remembers may apply.
  await using connection = await connect({ ...options, filters: {} }, context);
  const { client, reporter, signal } = connection;
  const log = async (outcome: string, done?: SyncResult) =>
    await logSync(options.folder, {
      started_at: startedAt,
      seconds: Math.round((context.elapsed() - begun) / 100) / 10,
      rows_added: done?.rowsAdded ?? null,
      rows_replaced: done?.rowsReplaced ?? null,
      rows_removed: done?.rowsRemoved ?? null,
      days_changed: done?.daysChanged ?? null,
      requests: reporter.requests().sent,
      outcome,
    });
  const result = await syncWithProgress(options, connection, context).catch(async (error: unknown) => {
    // An error of the log would hide the reason why the sync ended.
    await log(errorEntryOf(error).code).catch(() => undefined);
    throw error;
  });
  // The folder is complete without the log.
  await log("done", result).catch((error: Error) =>
    reporter.warn(`this run is missing from the log: ${error.message}`),
  );
  noteWhatStays(result, options, reporter);
  const isEmpty = result.daysChecked === 0;
  const newest = isEmpty ? await newestDay({ client, filters: result.resolved, signal }) : undefined;
  const { sent } = reporter.requests();
  const text = isEmpty ? asEmpty(result, newest ?? undefined) : asText(result, sent);
  if (options.format === "json" || !options.globals.quiet) {
    await context.print(`${options.format === "json" ? asJson(result, sent) : text}\n`);
  }
}

async function syncWithProgress(
  options: SyncOptions,
  { client, service, reporter, signal }: Connection,
  context: Context,
): Promise<SyncResult> {
  using progress = showProgress(reporter, context, options);
  const result = await syncFolder(client, {
    ...options,
    service,
    now: context.now,
    pageSize: LIMITS.pageSize.maximum,
    pid: context.pid,
    tool: VERSION,
    signal,
    onLoss: lossWarnings("parquet", reporter),
    observer: {
      onTotal: ({ rows: total, ...others }) => progress.update({ total, ...others }),
      onRows: (rows) => progress.update({ rows }),
      ...rereadObserver(reporter),
      onNote: reporter.warn,
      onKept: () => {
        // With `--error-format json`, only the error is written.
        if (options.globals.errorFormat === "human") {
          reporter.warn(`${options.folder} keeps what was read; repeat the command to continue`);
        }
      },
    },
  });
  progress.done();
  return result;
}

function noteWhatStays(
  { filters, outside, unexpectedFiles }: SyncResult,
  options: SyncOptions,
  reporter: Reporter,
): void {
  const { folder } = options;
  if (Object.keys(options.filters).length === 0 && Object.keys(filters).length > 0) {
    reporter.note(`${folder} is kept with ${filtersAsFlags(filters)}`);
  }
  const { start_date = "", end_date = "" } = filters;
  if (namedRetailers(filters).length !== 1 && (isFromLatest(start_date) || isFromLatest(end_date))) {
    reporter.note("a folder has one window of days for all retailers: latest is the newest day of any of them");
  }
  if (outside.length > 0) {
    const days =
      outside.length === 1
        ? `1 day (${outside[0]})`
        : `${plural(outside.length, "day")} (${outside[0]} to ${outside.at(-1)})`;
    const [stay, them] = outside.length === 1 ? ["stays as it is", "it"] : ["stay as they are", "them"];
    reporter.note(`${days} outside the dates of the filters ${stay}; --prune removes ${them}`);
  }
  if (unexpectedFiles.length > 0) {
    const paths = unexpectedFiles.map((name) => join(folder, name));
    const [stay, them] = paths.length === 1 ? ["it stays", "it"] : ["they stay", "them"];
    reporter.warn(
      `${firstFew(paths)}: not written by catalog, so ${stay}. Programs that read the day folders also read ${them}`,
    );
  }
}

function asText(result: SyncResult, requests: number): string {
  const { rowsAdded, rowsReplaced, rowsRemoved, daysChanged, daysPruned } = result;
  const rows = [
    ...(rowsAdded === 0 ? [] : [plural(rowsAdded, "new row")]),
    ...(rowsReplaced === 0 ? [] : [`${plural(rowsReplaced, "row")} replaced`]),
    ...(rowsRemoved === 0 ? [] : [`${plural(rowsRemoved, "row")} removed`]),
  ];
  const parts = [
    ...(rows.length === 0 ? [] : [`${rows.join(", ")} on ${plural(daysChanged, "day")}`]),
    ...(daysPruned === 0 ? [] : [`${plural(daysPruned, "day")} left the window`]),
  ];
  return `Up to date: ${parts.join(", ") || "nothing new"} (${plural(requests, "request")})`;
}

/** The outcome if neither the service nor the folder has rows. */
function asEmpty({ resolved, daysPruned }: SyncResult, newest: string | undefined): string {
  const { start_date: first, end_date: last } = resolved;
  const from = first === undefined ? "" : ` ${last === undefined ? "since" : "from"} ${first}`;
  const to = last === undefined ? "" : ` ${first === undefined ? "up to" : "to"} ${last}`;
  const days = first === last ? ` on ${first}` : `${from}${to}`;
  const rows = first === undefined && last === undefined ? "No rows match the filters" : `No rows${days}`;
  const pruned = daysPruned === 0 ? [] : [`${plural(daysPruned, "day")} left the window`];
  return [rows, ...(newest === undefined ? [] : [`the newest day is ${newest}`]), ...pruned].join("; ");
}

function asJson(result: SyncResult, requests: number): string {
  return JSON.stringify({
    days_checked: result.daysChecked,
    days_audited: result.daysAudited,
    audit_cycle_runs: result.auditCycle ?? null,
    days_pulled: result.days,
    days_changed: result.daysChanged,
    days_removed: result.daysRemoved,
    days_pruned: result.daysPruned,
    days_outside: result.outside.length,
    rows_added: result.rowsAdded,
    rows_replaced: result.rowsReplaced,
    rows_removed: result.rowsRemoved,
    requests,
  });
}

/** Writes what a sync would read and how long it would take, from coverage requests and the rate limit. */
async function showCost(options: SyncOptions, context: Context): Promise<void> {
  await using connection = await connect({ ...options, filters: {} }, context);
  const { client, service, reporter, signal } = connection;
  const limits = observeLimits(reporter, options);
  const pageSize = LIMITS.pageSize.maximum;
  const {
    days,
    rows,
    requests: pages,
  } = await planSync(client, { ...options, service, signal, now: context.now, pageSize });
  // The sync sends the coverage requests of this dry run again.
  const requests = reporter.requests().sent + pages;
  const expected = { days, rows, requests, ...timeOf(requests, options.concurrency, limits()) };
  if (options.format === "json") {
    await context.print(`${JSON.stringify(expected)}\n`);
  } else {
    await printEstimate(expected, {}, options.globals, context);
  }
}
