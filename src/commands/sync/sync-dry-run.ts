import type { Context } from "../../cli/context.ts";
import { observeLimits, printEstimate } from "../../cli/estimate-view.ts";
import { connect } from "../../cli/source/connection.ts";
import { LIMITS } from "../../contract/limits.ts";
import { planSync } from "../../folder/sync/sync.ts";
import { timeOf } from "../../pull/estimate.ts";
import type { SyncOptions } from "./options.ts";

/** Writes what a sync would read and how long it would take, from coverage requests and the rate limit. */
export async function runSyncDryRun(options: SyncOptions, context: Context): Promise<void> {
  await using connection = await connect({ ...options, filters: {} }, context);
  const { client, service, reporter, signal } = connection;
  const limits = observeLimits(reporter, options);
  const pageSize = LIMITS.pageSize.maximum;
  const {
    days,
    rows,
    requests: pages,
  } = await planSync(client, { ...options, service, signal, now: context.now, pageSize });
  // The coverage requests of the sync are those of the dry run.
  const requests = reporter.requests().sent + pages;
  const expected = { days, rows, requests, ...timeOf(requests, options.concurrency, limits()) };
  if (options.format === "json") {
    await context.print(`${JSON.stringify(expected)}\n`);
  } else {
    await printEstimate(expected, {}, options.globals, context);
  }
}
