import type { Context } from "../../cli/context.ts";
import { failIfAnyMatch, failIfCountMatches, isMet } from "../../cli/flags/condition.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { limitNote } from "../../cli/list-limit.ts";
import type { Reporter } from "../../cli/reporter.ts";
import { connect } from "../../cli/source/connection.ts";
import { reportNoRows } from "../../cli/source/empty-result.ts";
import { showTable, showText } from "../../cli/terminal/pager.ts";
import { screenOf } from "../../cli/terminal/screen.ts";
import { openPage, writeRecords } from "../../cli/write-rows.ts";
import { plural } from "../../contract/values/phrases.ts";
import { filtersAsFlags } from "../../pull/written-filters.ts";
import { coverageTypes } from "./columns.ts";
import type { DayRows } from "./counts.ts";
import { describeGaps, entriesInOrder, type Listing, listingOf } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";
import { countService } from "./service-counts.ts";

export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const { folder, groupBy, failIf, failOnEmpty, page } = options;
  const now = context.now();
  const open = folder === undefined ? connect : (await import("../../cli/source/synced-folder.ts")).openSyncedFolder;
  await using source = await open(options, context);
  const { reporter } = source;
  const isService = "client" in source;
  const counts = isService
    ? await countService(source, options, now)
    : await (await import("./folder-counts.ts")).countFolder(source, options, now);
  if (counts.combinations.length === 0) {
    reportNoRows(counts.newest, failOnEmpty, reporter);
  }
  const all = listingOf(counts, groupBy, now);
  reporter.progress.clear();

  await using pageFile = page && (await openPage(page, context));
  if (page === undefined || !page.isOnly) {
    await writeListing(all, counts.days, options, reporter, context);
  }
  if (page !== undefined && pageFile !== undefined) {
    const { coveragePage } = await import("./views/coverage-page.ts");
    const service = isService ? source.service : source.folder;
    const filters = filtersAsFlags(options.filters, options.brands);
    await pageFile.write(coveragePage(counts, { filters, service, now }));
    await pageFile.finish();
    reporter.note(`${page.file}: the coverage of ${plural(counts.combinations.length, "combination")}`);
  }
  if (groupBy === "day") {
    const cost = isService ? [plural(reporter.requests().sent, "request")] : [];
    const notes = [...describeGaps(counts.summary, all.entries.length), ...cost];
    if (notes.length > 0) {
      reporter.note(notes.join(" · "));
    }
  }
  if (failIf !== undefined) {
    failIfMet(failIf, groupBy === undefined ? listingOf(counts, "retailer", now) : all, all.entries.length);
  }
}

/** Writes the list as rows, chart, Markdown or table. Loads the views on demand: tables take as long as all the rest. */
async function writeListing(
  all: Listing,
  days: readonly DayRows[],
  options: CoverageOptions,
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const { output, columns, list, chart } = options;
  const listing = { ...all, entries: entriesInOrder(all.entries, list) };
  if (hasRowFormat(output)) {
    await writeRecords(
      listing.entries,
      output,
      { known: listing.columns, chosen: columns, types: coverageTypes(listing.columns) },
      reporter,
      context,
    );
    return;
  }
  const screen = screenOf(context, options);
  if (chart) {
    const { coverageChart } = await import("./views/coverage-chart.ts");
    const text = coverageChart(listing, days, screen);
    await showText(text, output, list, context);
    // A table has a line of totals.
    if (listing.entries.length < all.entries.length) {
      reporter.note(limitNote(listing.entries.length, all.entries.length, list.limit));
    }
  } else if (output.format === "markdown") {
    const { coverageMarkdown } = await import("./views/coverage-table.ts");
    const text = coverageMarkdown(listing, columns);
    await showText(text, output, list, context);
  } else {
    const { coverageTable } = await import("./views/coverage-table.ts");
    const table = coverageTable(listing, columns, list.sort === undefined, screen);
    await showTable(table, output, list, reporter, context);
  }
}

/**
 * @param count of the rows listed
 * @throws ConditionHoldsError if a group meets `--fail-if`
 */
function failIfMet(
  condition: NonNullable<CoverageOptions["failIf"]>,
  { entries, names: [name] }: Listing,
  count: number,
): void {
  const met = entries.filter((entry) => isMet(condition, { ...entry, count }));
  const noun = name === "crawl_date" ? "day" : name === "retailer" ? name : "group";
  failIfCountMatches(condition, count, noun);
  failIfAnyMatch(
    condition,
    met.map((entry) => String(entry[name])),
    noun,
  );
}
