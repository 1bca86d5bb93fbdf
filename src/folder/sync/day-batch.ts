import { hash } from "node:crypto";
import { join } from "node:path";
import { summaryOf } from "../../contract/coverage.ts";
import { FileError } from "../../contract/errors.ts";
import { writeStaged } from "../../export/destination/open-destination.ts";
import { openPartitionSpool, type PartitionSpool } from "../../export/destination/partition-spool.ts";
import { partitionOf } from "../../export/destination/partitions.ts";
import { cutByDate } from "../../pull/date-cuts.ts";
import { pull } from "../../pull/pull.ts";
import type { PullObserver } from "../../pull/pull-options.ts";
import { openPageStore } from "../../pull/store/open-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { DAY_PREFIX } from "../day-files.ts";
import type { DayState } from "../day-state.ts";
import { storeIn } from "../folder-lock.ts";
import { type Batch, type DayRange, isInRange, mergeRanges } from "./day-ranges.ts";
import {
  type ComparedRun,
  coverageOf,
  filtersOn,
  placeDays,
  type SyncObserver,
  type SyncRun,
  stagedFile,
} from "./sync-run.ts";

/** Rows of one batch. The days of a batch are in place before the next one is read. */
const BATCH_ROWS = 500_000;

/**
 * Reads batches, one after the other.
 *
 * @param onRemoval called with the number of rows before they are removed; it throws if they must be kept
 * @param mode `resume` continues with the pages of an earlier run, `fresh` begins again
 */
export async function syncBatches(
  run: SyncRun,
  batches: readonly Batch[],
  onRemoval: (rows: number) => void,
  mode: "resume" | "fresh" = "fresh",
): Promise<void> {
  const observerOf = batchObservers(batches, run.options.pageSize, run.options.observer);
  for (const batch of batches) {
    await syncBatch(run, batch, onRemoval, observerOf(batch), mode);
  }
}

/**
 * Adds up the progress of all batches.
 *
 * @returns a function that creates the observer of a batch; batches are pulled one after the other
 */
export function batchObservers(
  batches: readonly Batch[],
  pageSize: number,
  observer: SyncObserver | undefined,
): (batch: Batch) => PullObserver {
  const expected = new Map(
    batches.map((batch) => [batch, { rows: batch.rows, requests: Math.ceil(batch.rows / pageSize), stored: 0 }]),
  );
  const reportTotal = () => {
    const total = (name: "rows" | "requests" | "stored") =>
      [...expected.values()].reduce((sum, one) => sum + one[name], 0);
    observer?.onTotal({ rows: total("rows"), requests: total("requests"), stored: total("stored") });
  };
  if (batches.length > 0) {
    reportTotal();
  }
  let written = 0;
  return (batch) => {
    const before = written;
    let ofEarlierRun: number | undefined;
    return {
      ...observer,
      onPlan: async ({ totalRows, pages }, stored) => {
        ofEarlierRun ??= stored;
        expected.set(batch, { rows: totalRows, requests: pages, stored: ofEarlierRun });
        reportTotal();
      },
      onRows: (rows) => {
        written = before + rows;
        observer?.onRows(written);
      },
    };
  };
}

/**
 * Reads a batch and, when its rows have been verified, replaces the files of its days, each in one step. A day with the same
 * rows keeps its file. The pages are kept until the whole batch is in place, see `unfinishedBatch`.
 */
async function syncBatch(
  run: SyncRun,
  range: DayRange,
  onRemoval: (rows: number) => void,
  observer: PullObserver,
  mode: "resume" | "fresh",
): Promise<void> {
  const { client, options, filters, state, lock, staging, checkedAt } = run;
  const { folder, service, tool, pageSize, concurrency, recheck, signal } = options;
  const wanted = filtersOn(range, filters);
  const head = { service, filters: wanted, asked: state.filters };
  await using store = await openPageStore(storeIn(folder, "sync"), {
    head,
    pageSize,
    mode,
    lock,
    tool,
    startedAt: checkedAt,
    refuse: ({ reason }) => new FileError(`${folder}: an unfinished sync left pages of another set: ${reason}`, folder),
    onNote: (note) => options.observer?.onNote(note),
    onLeft: (lost) => (lost === undefined ? options.observer?.onKept() : options.observer?.onNote(lost.message)),
  });
  await using spool = await openPartitionSpool(join(staging, "rows"), partitionOf(["crawl_date"]));
  const set = { filters: wanted, pageSize, concurrency, recheck, signal, observer };
  await pull(client, store.pages, { ...set, write: spool.write });
  await replaceDays(run, spool, range, onRemoval);
  await store.remove();
}

/** Replaces the days of a range with what the spool has, which must have no other days. */
async function replaceDays(
  run: SyncRun,
  spool: PartitionSpool,
  range: DayRange,
  onRemoval: (rows: number) => void,
): Promise<void> {
  const { state, untrusted, counts } = run;
  const staged = await stage(run, spool);
  const storedDays = [...Object.keys(state.days), ...untrusted].filter((day) => isInRange(day, range));
  const days = new Set([...storedDays, ...staged.keys()]);
  const changes = new Map<string, DayState | undefined>();
  let lost = 0;
  for (const day of days) {
    const [before, now] = [state.days[day], staged.get(day)];
    const isSame = now !== undefined && (before?.digest === now.digest || before?.sha256 === now.sha256);
    if (isSame && !untrusted.has(day) && before.rows === now.rows) {
      // A day has no digest after combinations were removed from it without a request.
      before.digest = now.digest;
      continue;
    }
    changes.set(day, now);
    const [rowsBefore, rowsNow] = [before?.rows ?? 0, now?.rows ?? 0];
    counts.rowsAdded += Math.max(0, rowsNow - rowsBefore);
    counts.rowsReplaced += Math.min(rowsNow, rowsBefore);
    counts.daysRemoved += now === undefined ? 1 : 0;
    lost += Math.max(0, rowsBefore - rowsNow);
    run.changed.add(day);
  }
  onRemoval(lost);
  counts.rowsRemoved += lost;
  await placeDays(run, changes);
  for (const day of days) {
    const placed = state.days[day];
    if (placed !== undefined) {
      placed.checked = run.checkedAt;
    }
    untrusted.delete(day);
    run.read.add(day);
  }
}

/**
 * Divides days into batches, by the row counts of one more coverage request for each range. A single day needs no request,
 * because its rows in the copy are the estimate.
 */
export async function cutIntoBatches(run: ComparedRun, ranges: readonly DayRange[]): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (const range of mergeRanges(ranges)) {
    const { first, last } = range;
    if (first === last) {
      batches.push({ first, last, rows: run.state.days[first]?.rows ?? 0 });
      continue;
    }
    const matching = await coverageOf(run, range);
    const whole = { filters: filtersOn(range, run.filters), rows: 0 };
    const total = summaryOf(matching).matching_rows;
    const count = Math.max(1, Math.round(total / BATCH_ROWS));
    const sizes = new Array<number>(count).fill(total / count);
    const cuts = matching.length === 0 ? [whole] : cutByDate(matching, whole.filters, sizes);
    for (const { filters, rows } of cuts) {
      batches.push({ first: filters.start_date ?? first, last: filters.end_date ?? last, rows });
    }
  }
  return batches;
}

/** Writes the file of each day into the staging folder. */
async function stage(run: SyncRun, spool: PartitionSpool): Promise<Map<string, DayState>> {
  const days = new Map<string, DayState>();
  for (const partition of await spool.partitions()) {
    const day = partition.slice(DAY_PREFIX.length);
    const path = stagedFile(run, day);
    const tally: DayTally = { counts: new Map(), digest: Buffer.alloc(32) };
    const written = await writeStaged(path, withTally(spool.read(partition), tally), run.createEncoder);
    days.set(day, { ...written, digest: tally.digest.toString("hex"), counts: tally.counts, checked: run.checkedAt });
  }
  return days;
}

/** The order of the parts of an `rcd`. */
const RCD_COLUMNS = ["retailer", "category", "department"] as const;

interface DayTally {
  counts: Map<string, number>;
  /** The SHA-256 of all rows, combined by exclusive or: no row occurs twice, so none cancels out another. */
  digest: Buffer;
}

async function* withTally(
  batches: AsyncIterable<RowBatch>,
  { counts, digest }: DayTally,
): AsyncGenerator<RowBatch, void, void> {
  const combinations = new Map<string, string>();
  for await (const rows of batches) {
    const columns = RCD_COLUMNS.map((name) => rows.column(name));
    let rcd = "";
    for (let row = 0; row < rows.length; row += 1) {
      if (row === 0 || columns.some((column) => !rows.isAsBefore(row, column))) {
        const raw = columns.map((column) => rows.raw(row, column)).join();
        rcd = combinations.get(raw) ?? (JSON.parse(`[${raw}]`) as string[]).join(":");
        combinations.set(raw, rcd);
      }
      counts.set(rcd, (counts.get(rcd) ?? 0) + 1);
      // A binary string is twice as fast here as a Buffer.
      const rowHash = hash("sha256", rows.bytes.subarray(rows.start(row), rows.end(row)), "binary");
      for (let index = 0; index < digest.length; index += 1) {
        digest[index] = (digest[index] as number) ^ rowHash.charCodeAt(index);
      }
    }
    yield rows;
  }
}
