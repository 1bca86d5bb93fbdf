import { refuseHeld } from "../../cli/flags/condition.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { showTable } from "../../cli/pager.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import { writeRecords } from "../../cli/write-list.ts";
import { writePage } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { counted } from "../../output/terminal/counted.ts";
import { withServiceSource } from "./coverage-source.ts";
import { describeGaps } from "./day-counts.ts";
import { conditionGroups, countedBy, coverageColumns, type Entry } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";
import type { Activity } from "./views/activity.ts";

const NO_ACTIVITY: Activity = { periods: [], rows: new Map() };

/** Writes how much data exists, in the view of the options. */
export async function runCoverage(options: CoverageOptions, context: Context): Promise<void> {
  const withSource =
    options.folder === undefined ? withServiceSource : (await import("./folder-source.ts")).withFolderSource;
  const { listed, view, page, note, reporter } = await withSource(options, context, async (source) => {
    const response = await source.client.coverage(source.filters, source.signal);
    if (response.data.length === 0) {
      await reportEmpty(source, options);
    }
    const listed = await countedBy(options, response, source, context.now());
    const { page: pageOptions, output, chartRequests = 0 } = options;
    const isCharted = options.chart || (pageOptions !== undefined && !options.everyDay);
    // Loaded where it is needed: tables take as long as all the rest.
    const views = () => import("./views/coverage-views.ts");
    const activity = isCharted ? await (await views()).readDays(listed, chartRequests, source) : NO_ACTIVITY;
    const view =
      hasRowFormat(output) || pageOptions?.isOnly
        ? undefined
        : (await views()).viewOf(listed, options, source, context, activity);
    const page = pageOptions && {
      options: pageOptions,
      html: await (await import("./views/coverage-page.ts")).coveragePage(response, {
        filters: source.filters,
        service: source.service,
        now: context.now(),
        activity: options.everyDay
          ? (await import("./views/activity.ts")).activityOfDays(await source.days(response.data, undefined))
          : activity,
      }),
    };
    const requests = source.isFolder ? [] : [counted(source.reporter.requests().sent, "request")];
    const gaps = listed.days === undefined || !listed.isComplete ? [] : describeGaps(listed.days);
    const note = listed.days === undefined ? "" : [...gaps, ...requests].join(" · ");
    return { listed, view, page, note, reporter: source.reporter };
  });
  const { output } = options;
  const writeListing = async () => {
    if (view !== undefined) {
      await showTable(view, output, options.list, reporter, context);
    } else if (hasRowFormat(output)) {
      const known = coverageColumns(options.groupBy);
      await writeRecords<Entry>(listed.entries, { recordOf: (entry) => entry, known }, { output }, reporter, context);
    }
  };
  if (page === undefined) {
    await writeListing();
  } else {
    await writePage(page.html, page.options, context, writeListing);
    reporter.note(`${page.options.file}: the coverage of ${counted(listed.response.data.length, "combination")}`);
  }
  if (note !== "") {
    reporter.note(note);
  }
  const { failIf } = options;
  const held =
    failIf === undefined ? [] : conditionGroups(listed, context.now()).filter((group) => failIf.holds(group));
  refuseHeld(
    failIf,
    new Set(held.map(({ name }) => name)),
    listed.days !== undefined ? "day" : (listed.groupBy ?? "retailer") === "retailer" ? "retailer" : "group",
  );
}
