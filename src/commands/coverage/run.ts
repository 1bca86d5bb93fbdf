import type { Context } from "../../cli/context.ts";
import { failIfAnyMatch, isMet } from "../../cli/flags/condition.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { showTable } from "../../cli/terminal/pager.ts";
import { writePage, writeRecords } from "../../cli/write-rows.ts";
import { plural } from "../../contract/values/phrases.ts";
import { coverageColumns } from "./columns.ts";
import { newestUpToToday, openServiceSource } from "./coverage-source.ts";
import { describeGaps } from "./day-counts.ts";
import { type Counted, countedBy, entryMember } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";

/** Writes how much data exists, in the view of the options. */
export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const { folder, groupBy, output, columns, page, chart } = options;
  const open = folder === undefined ? openServiceSource : (await import("./folder-source.ts")).openFolderSource;
  await using source = await open(options, context);
  const { filters, service, reporter } = source;
  const now = context.now();
  const found = await source.coverage();
  const response = groupBy === "day" ? found : await newestUpToToday(found, source, now);
  if (response.data.length === 0) {
    await reportEmpty(source, options);
  }
  const listed = await countedBy(options, response, source, now);
  const isDrawn = (chart || page !== undefined) && folder !== undefined;
  const days = listed.days ?? (isDrawn ? await source.days(response) : undefined);
  reporter.progress.clear();
  const writeListing = async () => {
    if (hasRowFormat(output)) {
      const encoding = { known: coverageColumns(groupBy), chosen: columns };
      await writeRecords(listed.entries, output, encoding, reporter, context);
    } else {
      // Loaded where it is needed: tables take as long as all the rest.
      const { viewOf } = await import("./views/coverage-views.ts");
      const view = viewOf({ ...listed, days }, options, context);
      await showTable(view, output, options.list, reporter, context);
    }
  };
  if (page === undefined) {
    await writeListing();
  } else {
    const { coveragePage } = await import("./views/coverage-page.ts");
    const html = coveragePage(response, { filters, service, now, days });
    await writePage(html, page, context, writeListing);
    reporter.note(`${page.file}: the coverage of ${plural(response.data.length, "combination")}`);
  }
  noteDays(listed, folder === undefined ? [plural(reporter.requests().sent, "request")] : [], reporter);
  failIfGroupMatches(listed, options);
}

/** For a list of days: notes which days are missing, and what the list cost. */
function noteDays({ days }: Counted, cost: readonly string[], reporter: Reporter): void {
  if (days !== undefined) {
    const notes = [...describeGaps(days), ...cost];
    if (notes.length > 0) {
      reporter.note(notes.join(" · "));
    }
  }
}

/** @throws ConditionHoldsError if a group meets `--fail-if` */
function failIfGroupMatches({ groups }: Counted, { failIf, groupBy = "retailer" }: CoverageOptions): void {
  if (failIf !== undefined) {
    const held = groups.filter((group) => isMet(failIf, group));
    const name = groupBy === "day" ? "crawl_date" : groupBy;
    const noun = groupBy === "retailer" || groupBy === "day" ? groupBy : "group";
    failIfAnyMatch(failIf, [...new Set(held.map((group) => String(entryMember(group, name))))], noun);
  }
}
