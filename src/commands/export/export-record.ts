import type { Context } from "../../cli/context.ts";
import type { Connection } from "../../cli/source/connection.ts";
import { VERSION } from "../../cli/version.ts";
import type { ExportRecord } from "../../export/manifest.ts";
import type { PullResult } from "../../pull/pull-options.ts";
import type { WrittenFilters } from "../../pull/written-filters.ts";
import { DETECTION_LIMITS } from "./options.ts";

/**
 * Follows an export from now on, for its manifest.
 *
 * @param asked the filters as written
 * @returns makes the record of the export, once its output is in place
 */
export function recordExport(
  asked: WrittenFilters,
  { service, filters, reporter }: Connection,
  context: Context,
): (result: PullResult, resumedFrom: string | undefined) => ExportRecord {
  const startedAt = new Date(context.now()).toISOString();
  const ids: string[] = [];
  reporter.listeners.add((event) => {
    if (event.type === "response" && event.requestId !== undefined) {
      ids.push(event.requestId);
    }
  });
  return (result, resumedFrom) => ({
    tool: { name: "retail-catalog-cli", version: VERSION, node: context.nodeVersion },
    service,
    asked,
    filters,
    resolved: result.resolved,
    rows: result.rows,
    complete: !result.truncated,
    coverage: result.summary,
    plan: { ...result.cuts, slices: result.slices },
    compared_pages: result.recheckedPages,
    unnoticed: DETECTION_LIMITS,
    requests: { ...reporter.requests(), ids },
    started_at: resumedFrom ?? startedAt,
    finished_at: new Date(context.now()).toISOString(),
    resumed: resumedFrom !== undefined,
  });
}
