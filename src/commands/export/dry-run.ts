import type { Context } from "../../cli/context.ts";
import { connect } from "../../cli/source/connection.ts";
import { formatDuration } from "../../cli/terminal/duration.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { itemTable, numberColumn, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderTable } from "../../cli/terminal/tables/table.ts";
import { type RateHeaders, windowSecondsOf } from "../../client/requests/rate-window.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { estimate } from "../../pull/estimate.ts";
import { planPull } from "../../pull/plan.ts";
import type { ExportOptions } from "./options.ts";
import { assertFitsSheet, pageSizeOf } from "./pull-rows.ts";
import { bytesNeeded, sizeText } from "./room.ts";

/** Writes the expected cost of an export, from one coverage request and the rate limit; writes no file. */
export async function runDryRun(options: ExportOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { client, filters, reporter, signal } = connection;
  let rate: RateHeaders | undefined;
  reporter.listeners.add((event) => {
    rate = (event.type === "response" ? event.rate : undefined) ?? rate;
  });
  const started = context.elapsed();
  const coverage = await client.coverage(filters, signal);
  assertFitsSheet(options, coverage.data);
  const pages = { pageSize: pageSizeOf(options), maxRows: options.maxRows, recheck: options.recheck };
  const estimated = estimate(planPull(coverage, filters, pages.pageSize), pages, {
    limit: rate?.limit,
    windowSeconds: rate === undefined ? LIMITS.windowSeconds : windowSecondsOf(rate),
    remaining: rate?.remaining,
    resetSeconds: rate?.resetSeconds ?? LIMITS.windowSeconds,
    maxRate: options.maxRate,
    latency: context.elapsed() - started,
    concurrency: options.concurrency,
  });
  const expected = { ...estimated, bytes: bytesNeeded(estimated.rows, options) };
  if (options.failOnEmpty && expected.rows === 0) {
    throw new EmptyResultError("no rows match the filters");
  }
  if (options.output.format === "json") {
    await context.print(`${JSON.stringify(expected)}\n`);
    return;
  }
  const time = expected.seconds < 1 ? "under 1 s" : formatDuration(Math.round(expected.seconds) * 1000);
  const counts = (["rows", "slices", "requests", "windows"] as const).map((name) =>
    numberColumn(name, (estimated: typeof expected) => estimated[name]),
  );
  const table = itemTable(
    [expected],
    [...counts, textColumn("time", () => time), textColumn("disk", ({ bytes }) => sizeText(bytes))],
  );
  await context.print(renderTable(table, screenOf(context, { globals: options.globals })).text);
}
