import { hasRowFormat } from "../../cli/flags/output.ts";
import { showTable } from "../../cli/pager.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { writeRows } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { counted } from "../../contract/values/decimal.ts";
import { batchOf } from "../../rows/scan.ts";
import { withServiceSource } from "./coverage-source.ts";
import { describeGaps } from "./day-counts.ts";
import { COVERAGE_CELLS, countedBy, coverageColumns } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";

/** Writes how much data exists, in the view of the options. */
export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const withSource =
    options.from === undefined ? withServiceSource : (await import("./folder-source.ts")).withFolderSource;
  const { listed, view, note, reporter } = await withSource(options, context, async (source) => {
    const response = await source.client.coverage(source.filters, source.signal);
    if (response.data.length === 0) {
      await reportEmpty(source, options);
    }
    const listed = await countedBy(options, response, source.days, context.now());
    // Loaded where it is needed: tables take as long as all the rest.
    const view = hasRowFormat(options.output)
      ? undefined
      : await (await import("./views/coverage-views.ts")).viewOf(listed, options, source, context);
    const requests = source.isFolder ? [] : [counted(source.reporter.requests().sent, "request")];
    const gaps = listed.days === undefined || !listed.isComplete ? [] : describeGaps(listed.days);
    const note = listed.days === undefined ? "" : [...gaps, ...requests].join(" · ");
    return { listed, view, note, reporter: source.reporter };
  });
  const { output } = options;
  if (view !== undefined) {
    await showTable(view, output, options.list, reporter, context);
  } else if (hasRowFormat(output)) {
    const rows = listed.entries.map((entry) => JSON.stringify(entry));
    const known = coverageColumns(options.groupBy);
    await writeRows([batchOf(rows, known)], output, { known, kinds: COVERAGE_CELLS }, reporter, context);
  }
  if (note !== "") {
    reporter.note(note);
  }
}
