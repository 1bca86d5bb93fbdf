import type { Context } from "../../cli/context.ts";
import { observeLimits, printEstimate } from "../../cli/estimate-view.ts";
import { type Connection, connect } from "../../cli/source/connection.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import { fileBehind } from "../../export/destination/partial-file.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import { temporaryBytes } from "../../files/stored-bytes.ts";
import { storeIn } from "../../folder/folder-lock.ts";
import { assertPlausible } from "../../pull/checks.ts";
import { estimate } from "../../pull/estimate.ts";
import { planPull } from "../../pull/plan.ts";
import { earlierPages } from "../../pull/store/open-store.ts";
import { createPageStore } from "../../pull/store/page-store.ts";
import type { ExportOptions } from "./options.ts";
import { assertRepresentable, bytesNeeded, sizeText, storeBeside } from "./room.ts";
import { refuseDiscarding, storeOptions } from "./store-options.ts";

/** Prints the expected cost of an export, estimated from its coverage requests and the rate limit. Creates no file. */
export async function runDryRun(options: ExportOptions, context: Context): Promise<void> {
  await using connection = await connect(options, context);
  const { client, filters, reporter, signal } = connection;
  const { storeMode, output } = options;
  const limits = observeLimits(reporter, options);
  const earlier = storeMode === "resume" ? await pagesToContinue(options, connection, context) : undefined;
  const store = createPageStore(temporaryBytes(), earlier && { pages: earlier.pages });
  refuseDiscarding(store, options);
  const coverage = await client.coverage(filters, signal, store.version());
  assertPlausible(coverage.data, filters);
  assertRepresentable(options, coverage.data);
  const { page_size = options.pageSize, slice_pages } = earlier?.head.cuts ?? {};
  const plan = planPull(coverage, filters, page_size, slice_pages);
  store.keepOnly(new Set(plan.slices.map(({ id }) => id)), plan.version);
  const needs = { ...options, pageSize: page_size };
  const expected = estimate(plan, needs, reporter.requests().sent, limits(), store.size());
  if (options.failOnEmpty && expected.rows === 0) {
    throw new EmptyResultError("no rows match the filters");
  }
  const stored = store.rowsOf(plan.slices);
  const bytes = bytesNeeded(expected.rows, options, { stored, isStdout: isStdout(output.output) });
  if (output.format === "json") {
    await context.print(`${JSON.stringify({ ...expected, bytes })}\n`);
  } else {
    await printEstimate({ ...expected }, { disk: sizeText(bytes) }, options.globals, context);
  }
}

/** The pages that an interrupted export has read, if this one can use them. */
async function pagesToContinue(options: ExportOptions, connection: Connection, context: Context) {
  const { output = "" } = options.output;
  const paths = options.partitionBy === undefined ? storeBeside(await fileBehind(output)) : storeIn(output, "export");
  return await earlierPages(paths, storeOptions(options, paths.pages, connection, context));
}
