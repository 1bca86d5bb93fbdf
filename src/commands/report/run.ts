import type { Context } from "../../cli/context.ts";
import { flagsOfFilters } from "../../cli/flags/flag-words.ts";
import { comparedSince } from "../../cli/source/since-look.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { quoteCommand } from "../../cli/terminal/quote.ts";
import { writeChunks, writePage } from "../../cli/write-rows.ts";
import { addDays } from "../../contract/values/day-arithmetic.ts";
import { collectReport } from "./collect.ts";
import { refuseFigures } from "./figures.ts";
import type { ReportOptions } from "./options.ts";
import { reportText } from "./report-text.ts";

export async function runReport(options: ReportOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { since } = options;
    if (since === undefined) {
      await writeReport(weekBefore(synced), options, synced, context);
    } else {
      await comparedSince({ since, command: "report" }, synced, context, (days) =>
        writeReport(days.since, options, synced, context),
      );
    }
  });
}

/** A week before the newest day, or the first day of a younger folder; undefined if that is the newest one, too. */
function weekBefore({ days }: SyncedFolder): string | undefined {
  const [first = "", last = first] = [days[0], days.at(-1)];
  const week = last === "" ? "" : addDays(last, -7);
  return first === last ? undefined : week < first ? first : week;
}

async function writeReport(
  since: string | undefined,
  options: ReportOptions,
  synced: SyncedFolder,
  context: Context,
): Promise<void> {
  const report = await collectReport(since, options, synced, context);
  const { filters, page, conditions } = options;
  const brands = (options.brands ?? []).flatMap((name) => ["--brand", name]);
  const facts = { filters: quoteCommand([...flagsOfFilters(filters), ...brands]), now: context.now() };
  const toStdout = { format: "text", output: undefined, compression: undefined, noClobber: false };
  const writeText = () => writeChunks([reportText(report, facts)], toStdout, context);
  if (page === undefined) {
    await writeText();
  } else {
    const { reportPage } = await import("./report-page.ts");
    await writePage(reportPage(report, facts), page, context, writeText);
    synced.reporter.note(`${page.file}: the report of ${since ?? report.last} to ${report.last}`);
  }
  refuseFigures(conditions, report.figures);
}
