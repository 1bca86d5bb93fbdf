import type { Context } from "../../cli/context.ts";
import { observeLimits, printEstimate } from "../../cli/estimate-view.ts";
import { connect } from "../../cli/source/connection.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import { estimate } from "../../pull/estimate.ts";
import { planPull } from "../../pull/plan.ts";
import type { ExportOptions } from "./options.ts";
import { assertFitsSheet, bytesNeeded, sizeText } from "./room.ts";

/** Prints the expected cost of an export, estimated from its coverage requests and the rate limit. Creates no file. */
export async function runDryRun(options: ExportOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { client, filters, reporter, signal } = connection;
  const limits = observeLimits(reporter, options);
  const coverage = await client.coverage(filters, signal);
  assertFitsSheet(options, coverage.data);
  const plan = planPull(coverage, filters, options.pageSize);
  const expected = estimate(plan, options, reporter.requests().sent, limits());
  if (options.failOnEmpty && expected.rows === 0) {
    throw new EmptyResultError("no rows match the filters");
  }
  const bytes = bytesNeeded(expected.rows, options, { stored: 0, isStdout: isStdout(options.output.output) });
  if (options.output.format === "json") {
    await context.print(`${JSON.stringify({ ...expected, bytes })}\n`);
  } else {
    await printEstimate({ ...expected }, { disk: sizeText(bytes) }, options.globals, context);
  }
}
