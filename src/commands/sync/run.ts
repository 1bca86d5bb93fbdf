import { join } from "node:path";
import { type Connection, withConnection } from "../../cli/connection.ts";
import { withProgress } from "../../cli/pull-progress.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { keepHeapSmall } from "../../cli/small-heap.ts";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../contract/limits.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { type SyncResult, syncFolder } from "../../mirror/sync.ts";
import { createParquetEncoder } from "../../output/formats/parquet.ts";
import { reportOnce } from "../../output/formats/row-members.ts";
import { groupDigits } from "../../output/terminal/cell.ts";
import type { SyncOptions } from "./options.ts";

/** Brings the folder up to date and says what that came to. */
export async function runSync(options: SyncOptions, context: Context): Promise<void> {
  keepHeapSmall();
  await withConnection(options, context, async (connection) => {
    const result = await syncWithProgress(options, connection, context);
    warnOfStrangers(options.folder, result.strangers, connection.reporter);
    const { sent } = connection.reporter.requests();
    await context.print(`${options.format === "json" ? asJson(result, sent) : asText(result, sent)}\n`);
  });
}

async function syncWithProgress(
  options: SyncOptions,
  { client, filters, service, reporter, signal }: Connection,
  context: Context,
): Promise<SyncResult> {
  const { folder, lookback, verify, adopt, concurrency } = options;
  const warn = reportOnce((text) => reporter.warn(text));
  let before = 0;
  let written = 0;
  return await withProgress(reporter, context, options, (update) =>
    syncFolder(client, {
      folder,
      service,
      filters,
      lookback,
      verify,
      adopt,
      concurrency,
      pageSize: LIMITS.pageSize.maximum,
      pid: context.pid,
      signal,
      createEncoder: () =>
        createParquetEncoder({
          known: PRODUCT_COLUMNS,
          onUnknownMember: (name) => warn(`rows hold ${JSON.stringify(name)}, which parquet leaves out`),
          onLoneSurrogate: (column) => warn(`${column} holds half a surrogate pair, written as U+FFFD`),
          onRounded: (column) => warn(`${column} holds a number that no double is equal to, written rounded`),
        }),
      observer: {
        onPlan: async () => {
          before = written;
        },
        onRows: (rows) => {
          written = before + rows;
          update({ rows: written });
        },
        onRestart: (reason) => reporter.note(`reading a part of the set again: ${reason}`),
      },
    }),
  );
}

/** Names that a warning lists. */
const NAMED = 3;

function warnOfStrangers(folder: string, strangers: readonly string[], reporter: Reporter): void {
  if (strangers.length > 0) {
    const named = strangers.slice(0, NAMED).map((name) => join(folder, name));
    const more = strangers.length > NAMED ? ` and ${groupDigits(strangers.length - NAMED)} more` : "";
    reporter.warn(
      `${named.join(", ")}${more}: not written by catalog and left alone; whoever reads the day folders reads it, too`,
    );
  }
}

function asText(result: SyncResult, requests: number): string {
  const parts = [
    `${counted(result.daysChecked, "day")} checked`,
    `${groupDigits(result.days)} pulled`,
    `${counted(result.rowsAdded, "row")} added`,
    `${groupDigits(result.rowsReplaced)} replaced`,
    `${groupDigits(result.rowsRemoved)} removed`,
    counted(requests, "request"),
  ];
  if (result.daysRemoved > 0) {
    parts.splice(2, 0, `${groupDigits(result.daysRemoved)} removed`);
  }
  return parts.join(" · ");
}

function counted(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function asJson(result: SyncResult, requests: number): string {
  return JSON.stringify({
    days_checked: result.daysChecked,
    days_pulled: result.days,
    days_removed: result.daysRemoved,
    rows_added: result.rowsAdded,
    rows_replaced: result.rowsReplaced,
    rows_removed: result.rowsRemoved,
    requests,
  });
}
