import { join } from "node:path";
import { withProgress } from "../../cli/pull-progress.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { withConnection } from "../../cli/source/connection.ts";
import { lossWarnings } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../contract/limits.ts";
import { counted, groupDigits } from "../../contract/values/decimal.ts";
import { DAY_FILE } from "../../mirror/folder/day-files.ts";
import { filtersAsFlags } from "../../mirror/folder/remembered.ts";
import { type SyncResult, syncFolder } from "../../mirror/sync/sync.ts";
import { createParquetEncoder } from "../../output/formats/parquet/parquet.ts";
import type { SyncOptions } from "./options.ts";

export async function runSync(options: SyncOptions, context: Context): Promise<void> {
  // The folder may have filters of its own, so those of the command line are resolved later, together with these.
  await withConnection({ ...options, filters: {} }, context, async ({ client, service, reporter, signal }) => {
    const warnings = lossWarnings("parquet", reporter);
    const result = await withProgress(reporter, context, options, (update) =>
      syncFolder(client, {
        ...options,
        service,
        now: context.now,
        pageSize: LIMITS.pageSize.maximum,
        pid: context.pid,
        signal,
        createEncoder: () => createParquetEncoder({ ...DAY_FILE, ...warnings }),
        observer: {
          onTotal: ({ rows, requests }) => update({ total: rows, requests }),
          onRows: (rows) => update({ rows }),
          onRestart: (reason) => reporter.note(`reading a part of the set again: ${reason}`),
        },
      }),
    );
    reportUnchanged(result, options, reporter);
    const { sent } = reporter.requests();
    if (options.format === "json" || !options.globals.quiet) {
      await context.print(`${options.format === "json" ? asJson(result, sent) : asText(result, sent)}\n`);
    }
  });
}

/** Most names in a warning. */
const NAMED = 3;

/** Reports what was not changed, and why. */
function reportUnchanged({ filters, outside, strangers }: SyncResult, options: SyncOptions, reporter: Reporter): void {
  const { folder } = options;
  if (Object.keys(options.filters).length === 0 && Object.keys(filters).length > 0) {
    reporter.note(`${folder} is kept with ${filtersAsFlags(filters)}`);
  }
  if (outside.length > 0) {
    const days = `${counted(outside.length, "day")} (${outside[0]} to ${outside.at(-1)})`;
    reporter.note(`${days} outside the dates of the filters stay as they are; --prune removes them`);
  }
  if (strangers.length > 0) {
    const named = strangers.slice(0, NAMED).map((name) => join(folder, name));
    const more = strangers.length > NAMED ? ` and ${groupDigits(strangers.length - NAMED)} more` : "";
    reporter.warn(
      `${named.join(", ")}${more}: not written by catalog, so it stays. Programs that read the day folders will also read it`,
    );
  }
}

function asText(result: SyncResult, requests: number): string {
  const gone = result.daysRemoved + result.daysPruned;
  const { daysAudited, auditCycle } = result;
  const audited =
    daysAudited === 0 || auditCycle === undefined
      ? ""
      : ` (${groupDigits(daysAudited)} one by one, each within ${counted(auditCycle, "run")})`;
  const parts = [
    `${counted(result.daysChecked, "day")} checked${audited}`,
    `${groupDigits(result.days)} pulled`,
    ...(gone === 0 ? [] : [`${counted(gone, "day")} removed`]),
    `${counted(result.rowsAdded, "row")} added`,
    `${groupDigits(result.rowsReplaced)} replaced`,
    `${groupDigits(result.rowsRemoved)} removed`,
    counted(requests, "request"),
  ];
  return parts.join(" · ");
}

function asJson(result: SyncResult, requests: number): string {
  return JSON.stringify({
    days_checked: result.daysChecked,
    days_audited: result.daysAudited,
    audit_cycle_runs: result.auditCycle ?? null,
    days_pulled: result.days,
    days_removed: result.daysRemoved,
    days_pruned: result.daysPruned,
    days_outside: result.outside.length,
    rows_added: result.rowsAdded,
    rows_replaced: result.rowsReplaced,
    rows_removed: result.rowsRemoved,
    requests,
  });
}
