import type { Context } from "../../cli/context.ts";
import { refuseHeld } from "../../cli/flags/condition.ts";
import { hasRowFormat, type OutputOptions } from "../../cli/flags/output.ts";
import { flagError } from "../../cli/flags/values.ts";
import { showProgress } from "../../cli/pull-progress.ts";
import { isLook } from "../../cli/source/since-look.ts";
import { showText } from "../../cli/terminal/pager.ts";
import { notShown, screenOf } from "../../cli/terminal/screen.ts";
import { style } from "../../cli/terminal/style.ts";
import { rowTable } from "../../cli/terminal/tables/row-table.ts";
import { renderCaptioned, renderTable } from "../../cli/terminal/tables/table.ts";
import { wrap } from "../../cli/terminal/wrap.ts";
import { withRowWriter } from "../../cli/write-rows.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import { firstOf, groupDigits } from "../../contract/values/counted.ts";
import { isStdout } from "../../export/destination/stdout.ts";
import type { RowFormat } from "../../export/formats/registry.ts";
import type { DiffSummary } from "../../folder/diff/compare.ts";
import { CHANGES, type Change, type Difference, SIDES } from "../../folder/diff/join.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOf } from "../../rows/scan.ts";
import { diffTable, firstInOrder, SHOWN_DIFFERENCES, shownInTable, summaryLine } from "./changes-table.ts";
import type { ComparedDays } from "./days.ts";
import { DIFF_FIELDS, type DiffField, type DiffOptions } from "./options.ts";
import { DIFF_COLUMNS, diffRecord, diffValue } from "./record.ts";

/** Most retailers in a warning. */
const NAMED = 5;

export async function runDiff(options: DiffOptions, context: Context): Promise<void> {
  const isOfService = options.folder === undefined && options.asOf !== true && !isLook(options.from);
  const withDays = isOfService
    ? (await import("./from-service.ts")).withServiceDays
    : (await import("./from-folder.ts")).withFolderDays;
  await withDays(options, context, async (days) => {
    const { output, failIf } = options;
    refuseNothingVanishes(options, days);
    // A table shows what changed, and the rest as counts; other formats have all kinds.
    const kinds: readonly Change[] = options.only ?? (output.format === "table" ? ["changed"] : CHANGES);
    const held = new Set<string>();
    const compare: Compare = async (onDifferences) => {
      using progress = showProgress(days.reporter, context, options);
      const shown = {
        onTotal: (total: number) => progress.update({ total }),
        onRows: (rows: number) => progress.update({ rows }),
      };
      const summary = await days.compare(shown, async (differences) => {
        const wanted = differences.filter(({ change }) => kinds.includes(change));
        for (const difference of wanted) {
          if (failIf?.holds(differenceFields(difference))) {
            held.add(`${difference.retailer} ${difference.sku}`);
          }
        }
        await onDifferences(wanted);
      });
      progress.done();
      await warnOfGaps(summary, options, days);
      return summary;
    };
    await (hasRowFormat(output)
      ? writeDifferences(output, options, days, compare, context)
      : showDifferences(options, days, compare, context));
    refuseHeld(failIf, held);
  });
}

/** @throws UsageError if nothing but vanished products are wanted, and last known prices have none */
function refuseNothingVanishes({ only = [], maxAge }: DiffOptions, { asOf }: ComparedDays): void {
  if (asOf && maxAge === undefined && only.length > 0 && only.every((change) => change === "vanished")) {
    throw flagError(
      "--only",
      "vanished: no product vanishes from its last known prices. Add --max-age 14d to find products that were not seen for 14 days, or --no-as-of to compare the days themselves.",
    );
  }
}

/** Compares the two days; passes on the differences of the requested kinds. */
type Compare = (onDifferences: (differences: readonly Difference[]) => Promise<void>) => Promise<DiffSummary>;

/** Names the comparison. */
function windowOf({ from, to, asOf }: ComparedDays): string {
  return `${from} to ${to}${asOf ? ", by last known prices" : ""}`;
}

async function showDifferences(
  options: DiffOptions,
  days: ComparedDays,
  compare: Compare,
  context: Context,
): Promise<void> {
  const isOnTerminal = isStdout(options.output.output) && context.stdout.isTTY === true;
  const limit = options.list.limit ?? (isOnTerminal ? SHOWN_DIFFERENCES : undefined);
  const { add, selected } = shownInTable({ sort: options.list.sort, limit });
  let all = 0;
  const summary = await compare(async (differences) => {
    all += differences.length;
    add(differences);
  });
  const screen = screenOf(context, options);
  const differences = selected();
  const { text, hidden } =
    options.columns === undefined
      ? renderCaptioned(diffTable(differences), ["change", "retailer", "currency"], screen)
      : renderTable(rowTable(recordsOf(differences, days), options.columns), screen);
  const table = differences.length === 0 ? "" : `${text}\n`;
  const left = all - differences.length;
  const heading = style("bold", `Changes from ${windowOf(days)}`, screen.colour);
  const result = wrap(summaryLine(summary), screen.width);
  await showText(`${heading}\n${table}${result}\n`, options.output, options.list, context);
  if (left > 0) {
    days.reporter.note(`${groupDigits(left)} more differences; -f ndjson or -o FILE has them all`);
  }
  if (differences.length > 0) {
    notShown(hidden, "-f csv has them all").forEach(days.reporter.note);
  }
  const { appeared, vanished } = summary.products;
  if (options.only === undefined && appeared + (vanished ?? 0) > 0) {
    days.reporter.note(`--only appeared${vanished === null ? "" : ",vanished"} lists the others`);
  }
}

function recordsOf(differences: readonly Difference[], days: ComparedDays): RowBatch {
  return batchOf(
    differences.map((difference) => diffRecord(difference, days)),
    DIFF_COLUMNS,
  );
}

async function writeDifferences(
  output: OutputOptions<RowFormat>,
  options: DiffOptions,
  days: ComparedDays,
  compare: Compare,
  context: Context,
): Promise<void> {
  const { sort, limit = Number.POSITIVE_INFINITY } = options.list;
  const selection = sort === undefined ? undefined : firstInOrder({ sort, limit });
  let written = 0;
  const encoding = { known: DIFF_COLUMNS, chosen: options.columns };
  const target = { stdout: context.stdout, signal: days.signal, pid: context.pid };
  const summary = await withRowWriter(output, encoding, days.reporter, target, async (writeBatch) => {
    const write = async (differences: readonly Difference[]) => {
      await writeBatch(recordsOf(differences, days));
    };
    const compared = await compare(async (differences) => {
      if (selection !== undefined) {
        selection.add(differences);
      } else if (written < limit) {
        const first = differences.slice(0, limit - written);
        written += first.length;
        await write(first);
      }
    });
    await write(selection?.selected() ?? []);
    return compared;
  });
  days.reporter.note(`${windowOf(days)}: ${summaryLine(summary)}`);
}

function differenceFields(difference: Difference): Partial<Record<DiffField, number | null>> {
  return Object.fromEntries(DIFF_FIELDS.map((field) => [field, diffValue(difference, field)]));
}

/** Warns if a day has no rows at all of a retailer: the retailer was probably not crawled on that day. */
async function warnOfGaps({ retailers }: DiffSummary, { failOnEmpty }: DiffOptions, days: ComparedDays): Promise<void> {
  const { reporter, daysWithRows, asOf } = days;
  const empty = SIDES.filter((side) => [...retailers.values()].every((rows) => rows[side] === 0)).map(
    (side) => days[side],
  );
  if (empty.length > 0) {
    const others = await daysWithRows(empty);
    const message = `no rows match ${asOf ? "up to" : "on"} ${empty.join(" and ")}${others === undefined ? "" : ` (${others})`}`;
    if (failOnEmpty) {
      throw new EmptyResultError(message);
    }
    reporter.warn(message);
    return;
  }
  for (const side of SIDES) {
    const missing = [...retailers].filter(([, rows]) => rows[side] === 0).map(([retailer]) => retailer);
    if (missing.length > 0) {
      const seen = side === "from" ? "appeared" : "vanished";
      const named = firstOf(missing, NAMED, " retailers");
      reporter.warn(`no rows ${asOf ? "up to" : "on"} ${days[side]} of ${named}: all their products count as ${seen}`);
    }
  }
}
