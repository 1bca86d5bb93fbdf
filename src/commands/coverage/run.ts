import { hasRowFormat } from "../../cli/flags/output.ts";
import { showTable } from "../../cli/pager.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { writeRows } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { batchOf } from "../../rows/scan.ts";
import { type CoverageSource, withServiceSource } from "./coverage-source.ts";
import { type DayCounts, describeGaps } from "./day-counts.ts";
import { COVERAGE_CELLS, countedBy, coverageColumns } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";

/** Writes how much data exists, in the view of the options. */
export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const withSource =
    options.from === undefined ? withServiceSource : (await import("./folder-source.ts")).withFolderSource;
  const { counted, view, notes, reporter } = await withSource(options, context, async (source) => {
    const response = await source.client.coverage(source.filters, source.signal);
    if (response.data.length === 0) {
      await reportEmpty(source, options);
    }
    const counted = await countedBy(options, response, source.days, context.now());
    // Loaded where it is needed: tables take as long as all the rest.
    const view = hasRowFormat(options.output)
      ? undefined
      : await (await import("./views/coverage-views.ts")).viewOf(counted, options, source, context);
    const notes = counted.days === undefined ? [] : notesOn(counted.days, source);
    return { counted, view, notes, reporter: source.reporter };
  });
  const { output } = options;
  if (view !== undefined) {
    await showTable(view, output, options.list, reporter, context);
  } else if (hasRowFormat(output)) {
    const rows = counted.entries.map((entry) => JSON.stringify(entry));
    const known = coverageColumns(options.groupBy);
    await writeRows([batchOf(rows, known)], output, { known, kinds: COVERAGE_CELLS }, reporter, context);
  }
  notes.forEach(reporter.note);
}

function notesOn(days: DayCounts, { isFolder, reporter }: CoverageSource): string[] {
  const { sent } = reporter.requests();
  const requests = isFolder ? [] : [`${groupDigits(sent)} request${sent === 1 ? "" : "s"}`];
  return [[...describeGaps(days), ...requests].join(" · ")].filter((text) => text !== "");
}
