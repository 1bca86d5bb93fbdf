import { basename } from "node:path";
import type { Connection } from "../../cli/source/connection.ts";
import type { Context } from "../../context.ts";
import { FileError } from "../../errors.ts";
import { fingerprint, MANIFEST_VERSION, type Manifest, manifestPathOf, manifestText } from "../../export/manifest.ts";
import type { Resumable } from "../../export/resume.ts";
import { LONGEST_NAME } from "../../files/own-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { PullResult } from "../../pull/pull.ts";
import { VERSION } from "../../version.ts";
import type { ExportOptions } from "./options.ts";
import { pageSizeOf } from "./pull-rows.ts";

/** @throws FileError if the name of the output is too long to add the suffix of a manifest. */
export function checkManifestName(output: string): void {
  const excess = Buffer.byteLength(`${basename(manifestPathOf(output))}.new`) - LONGEST_NAME;
  if (excess > 0) {
    throw new FileError(`${output}: the name is ${excess} bytes too long for a manifest beside it`, output);
  }
}

/** Writes the manifest of an output that is complete and in its place. */
export async function writeManifest(
  result: PullResult,
  { target, earlier }: Resumable,
  options: ExportOptions,
  { service, filters, reporter }: Connection,
  { startedAt, ids, context }: { startedAt: string; ids: readonly string[]; context: Context },
): Promise<void> {
  const { format, compression } = options.output;
  const manifest: Manifest = {
    version: MANIFEST_VERSION,
    tool: { name: "retail-catalog-cli", version: VERSION, node: context.nodeVersion },
    service,
    asked: options.filters,
    filters,
    resolved: result.resolved,
    file: {
      name: target,
      ...(await fingerprint(target)),
      format,
      compression: compression ?? null,
      columns: options.columns ?? null,
    },
    rows: result.rows,
    complete: !result.truncated,
    coverage: result.summary,
    plan: {
      page_size: pageSizeOf(options),
      slice_pages: result.slicePages,
      slices: result.slices.map(({ filters, rows }) => ({ filters, rows })),
    },
    requests: { ...reporter.requests(), ids },
    started_at: earlier?.started_at ?? startedAt,
    finished_at: new Date(context.now()).toISOString(),
    resumed: earlier !== undefined,
  };
  await replaceFile(manifestPathOf(target), manifestText(manifest));
}
