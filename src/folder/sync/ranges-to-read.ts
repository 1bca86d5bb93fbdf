import { type Coverage, summaryOf } from "../../contract/coverage.ts";
import { ShrinkError } from "../../contract/errors.ts";
import { splitRcd } from "../../contract/filters.ts";
import { addDays, dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupDigits, plural } from "../../contract/values/phrases.ts";
import type { SyncState } from "../folder-state.ts";
import { compareRange, edgesThatDiffer, longestUnchecked, type RcdCounts, sumOfCounts } from "./changes.ts";
import { type DayRange, daysInRange, isInRange, oneDay } from "./day-ranges.ts";
import { removalGuard } from "./removal-guard.ts";
import { type ComparedRun, type ComparisonOptions, coverageOf } from "./sync-run.ts";

/** How a folder compares with its service, all days together. */
interface Totals {
  coverage: readonly Coverage[];
  /** From the first to the last day of both sides; undefined if neither has rows. */
  range: DayRange | undefined;
  /** The combinations that the service no longer has. */
  gone: ReadonlySet<string>;
  /** Called with the number of rows before they are removed, see `removalGuard`. */
  onRemoval: (rows: number) => void;
}

/**
 * Compares the counts of all days together, by one coverage request.
 *
 * @throws ShrinkError if a retailer has vanished, more than half of the rows would be removed, or rows outside the window are
 * lost
 */
export async function compareTotals(run: ComparedRun): Promise<Totals> {
  const { options, state, untrusted, isInWindow } = run;
  const stored = daysWhere(state, isInWindow);
  const coverage = await coverageOf(run);
  const range = extent([...Object.keys(stored), ...[...untrusted].filter(isInWindow)], coverage);
  const before = sumOfCounts(Object.values(stored));
  const counted = countsOf(coverage);
  const onRemoval = removalGuard(range === undefined ? state.days : stored, before, counted, options.allowShrink);
  refuseVanished(before, counted, options);
  await refuseLost(run);
  return { coverage, range, gone: new Set([...before.keys()].filter((rcd) => !counted.has(rcd))), onRemoval };
}

/**
 * The days to read: those that differ from the service, the newest of each retailer, and those whose files are not what the
 * state says.
 *
 * @param isNew whether a day was read so lately that its age is no reason to read it again
 */
export async function rangesToRead(
  run: ComparedRun,
  { coverage, range }: Totals,
  isNew: (day: string) => boolean,
): Promise<DayRange[]> {
  const { options, untrusted } = run;
  const ranges = [...untrusted].map(oneDay);
  if (range !== undefined) {
    const today = dayOf(options.now());
    const newest = newestDays(coverage, today, options.lookback).filter((day) => isInRange(day, range) && !isNew(day));
    ranges.push(...(await findChanges(run, range, coverage)), ...newest.map(oneDay));
  }
  return ranges;
}

/**
 * Compares the copy with the service by coverage requests; `coverage` is the response for the whole range. Returns the days
 * to read.
 */
async function findChanges(run: ComparedRun, range: DayRange, coverage: readonly Coverage[]): Promise<DayRange[]> {
  const { state, counts, checkedAt } = run;
  const { audit, verify, concurrency } = run.options;
  const days = daysWhere(state, (day) => isInRange(day, range));
  // Days that this run has just read, as an unfinished batch, need no check.
  const old = daysWhere({ days }, (day) => days[day]?.checked !== checkedAt);
  const audited = verify ? Object.keys(old) : longestUnchecked(old, audit);
  const { changed, equal } = await compareRange(range, countsOf(coverage), {
    local: (part) => sumOfCounts(Object.values(daysWhere(state, (day) => isInRange(day, part)))),
    remote: async (part) => countsOf(await coverageOf(run, part)),
    audited: [...new Set([...edgesThatDiffer(days, coverage), ...audited])],
    concurrency,
  });
  counts.daysChecked = daysInRange(range);
  counts.daysAudited = equal.length;
  for (const day of equal) {
    Object.assign(state.days[day] ?? {}, { checked: checkedAt });
  }
  return changed;
}

function daysWhere({ days }: Pick<SyncState, "days">, isWanted: (day: string) => boolean): SyncState["days"] {
  return Object.fromEntries(Object.entries(days).filter(([day]) => isWanted(day)));
}

/** From the first to the last day of both sides. */
function extent(stored: readonly string[], coverage: readonly Coverage[]): DayRange | undefined {
  const days = [...stored, ...coverage.flatMap((entry) => [entry.earliest_date, entry.latest_date])].sort();
  const [first] = days;
  const last = days.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** The newest days of each retailer up to today, because a row dated in the future would otherwise hide all others. */
function newestDays(coverage: readonly Coverage[], today: string, count: number): string[] {
  const newest = new Map<string, string>();
  for (const { retailer, latest_date } of coverage) {
    const day = latest_date > today ? today : latest_date;
    newest.set(retailer, [newest.get(retailer) ?? day, day].sort().at(-1) ?? day);
  }
  const days = [...newest.values()].flatMap((last) => Array.from({ length: count }, (_, back) => addDays(last, -back)));
  return [...new Set(days)];
}

/**
 * A retailer that the service no longer has at all was probably hidden from the key, not removed.
 *
 * @throws ShrinkError unless `prune`
 */
function refuseVanished(before: RcdCounts, counted: RcdCounts, { folder, prune }: ComparisonOptions): void {
  const visible = new Set([...counted.keys()].map((rcd) => splitRcd(rcd).retailer));
  const rows = new Map<string, number>();
  for (const [rcd, count] of prune ? [] : before) {
    const { retailer } = splitRcd(rcd);
    rows.set(retailer, (rows.get(retailer) ?? 0) + (visible.has(retailer) ? 0 : count));
  }
  const [vanished] = [...rows].filter(([, count]) => count > 0);
  if (vanished !== undefined && visible.size > 0) {
    throw new ShrinkError(
      `${folder} has ${plural(vanished[1], "row")} of ${vanished[0]}, of which the service shows none any more, maybe because this key may not see them; nothing was changed. --prune removes them`,
    );
  }
}

/**
 * A day outside the window whose file is damaged is read again only if the service still has its rows: until --prune, such a
 * day stays although the service may no longer have it.
 *
 * @throws ShrinkError unless shrinking is allowed
 */
async function refuseLost(run: ComparedRun): Promise<void> {
  const { state, untrusted, isInWindow, options } = run;
  for (const day of options.allowShrink ? [] : untrusted) {
    const { rows = 0 } = state.days[day] ?? {};
    // A run was about to replace or remove the day, so nothing is lost.
    if (rows === 0 || isInWindow(day) || state.pending.includes(day)) {
      continue;
    }
    const left = summaryOf(await coverageOf(run, oneDay(day))).matching_rows;
    if (left < rows) {
      throw new ShrinkError(
        `the file of ${day} in ${options.folder} is damaged or missing, and the service has ${groupDigits(left)} of its ${plural(rows, "row")}; nothing was changed. --allow-shrink reads the day again, and --prune removes the days outside the dates of the filters`,
      );
    }
  }
}

function countsOf(matching: readonly Coverage[]): RcdCounts {
  return new Map(matching.map(({ rcd, matching_rows }) => [rcd, matching_rows]));
}
