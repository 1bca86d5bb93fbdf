import { hash } from "node:crypto";
import { join } from "node:path";
import { addDays } from "../../contract/values/day-arithmetic.ts";
import { FileError } from "../../errors.ts";
import { openPartitionSpool, type PartitionSpool } from "../../output/destination/partition-spool.ts";
import { partitionOf } from "../../output/destination/partitions.ts";
import { writeStaged } from "../../output/sink.ts";
import { cutByDate } from "../../pull/date-cuts.ts";
import { type PullObserver, pull, type RowSink } from "../../pull/pull.ts";
import { type StoreOptions, withStore } from "../../pull/store/open-store.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { storeIn } from "../folder/folder-lock.ts";
import type { DayState } from "../folder/folder-state.ts";
import { type Batch, type DayRange, isInRange } from "./day-ranges.ts";
import { placeDays, stagedFile } from "./place.ts";
import { coverageOf, filtersOn, type SyncRun } from "./sync-run.ts";

/** Rows of one batch. Each batch is stored before the next one is read, so an interruption loses at most one batch. */
const BATCH_ROWS = 100_000;

/**
 * Reads a batch and replaces the files of its days, each in one step, as soon as its rows are complete. A day with the same
 * rows keeps its file. The pages are kept until the whole batch is in place, see `unfinishedBatch`.
 *
 * @param onRemoval called with the number of rows before they are removed; it throws if they must be kept
 * @param mode `resume` goes on with the pages of an earlier run, `fresh` begins anew
 */
export async function syncBatch(
  run: SyncRun,
  { range }: Pick<Batch, "range">,
  onRemoval: (rows: number) => void,
  observer: PullObserver,
  mode: "resume" | "fresh" = "fresh",
): Promise<void> {
  const { client, options, filters, state, lock, staging, checkedAt, counts } = run;
  const { folder, service, tool, pageSize, concurrency, signal } = options;
  const wanted = filtersOn(range, filters);
  const head = { service, filters: wanted, asked: state.filters };
  const found: DaysFound = { read: new Set(), changed: new Set() };
  const store: StoreOptions = {
    ...{ head, pageSize, mode, lock, tool, startedAt: checkedAt },
    refuse: ({ reason }) => new FileError(`${folder}: the pages of an unfinished sync are of ${reason}`, folder),
    onNote: (note) => options.observer?.onNote(note),
    onLeft: (lost) => (lost === undefined ? options.observer?.onKept() : options.observer?.onNote(lost.message)),
  };
  await withStore(storeIn(folder, "sync"), store, async ({ pages }) => {
    const spool = await openPartitionSpool(join(staging, "rows"), partitionOf(["crawl_date"]));
    let next = range.first;
    const placeUntil = async (last: string) => {
      await replaceDays(run, spool, { first: next, last }, onRemoval, found);
      await spool.restart();
    };
    const sink: RowSink = {
      write: spool.write,
      restart: async () => {
        next = range.first;
        return await spool.restart();
      },
      daysWritten: async (day) => {
        if (day > next) {
          await placeUntil(addDays(day, -1));
          next = day;
        }
      },
    };
    try {
      await pull(client, sink, {
        filters: wanted,
        byDays: true,
        store: pages,
        pageSize,
        concurrency,
        signal,
        observer,
      });
      await placeUntil(range.last);
    } finally {
      await spool.close();
    }
  });
  counts.days += found.read.size;
  counts.daysChanged += found.changed.size;
}

/** Days of a batch, each once, even if the set changed and they were read again. */
interface DaysFound {
  /** Those that have or had rows. */
  read: Set<string>;
  changed: Set<string>;
}

/** Replaces the days of a range with what the spool has, which must have no other days. */
async function replaceDays(
  run: SyncRun,
  spool: PartitionSpool,
  range: DayRange,
  onRemoval: (rows: number) => void,
  found: DaysFound,
): Promise<void> {
  const { state, untrusted, counts } = run;
  const staged = await stage(run, spool);
  const known = new Set([...Object.keys(state.days), ...untrusted]);
  const removed = [...known].filter((day) => isInRange(day, range) && !staged.has(day));
  const replaced = new Map(
    [...staged].filter(
      ([day, { rows, digest }]) =>
        untrusted.has(day) || state.days[day]?.rows !== rows || state.days[day].digest !== digest,
    ),
  );
  let lost = 0;
  for (const day of [...replaced.keys(), ...removed]) {
    const before = state.days[day]?.rows ?? 0;
    const now = replaced.get(day)?.rows ?? 0;
    counts.rowsAdded += Math.max(0, now - before);
    counts.rowsReplaced += Math.min(now, before);
    lost += Math.max(0, before - now);
    found.changed.add(day);
  }
  onRemoval(lost);
  counts.rowsRemoved += lost;
  counts.daysRemoved += removed.length;
  await placeDays(run, { replaced, removed });
  for (const day of [...staged.keys(), ...removed]) {
    Object.assign(state.days[day] ?? {}, { checked: run.checkedAt });
    untrusted.delete(day);
    found.read.add(day);
  }
}

/**
 * Divides a range of days into batches, by the row counts of one more coverage request. A single day needs no request,
 * because the copy shows the expected number of rows.
 */
export async function cutIntoBatches(run: SyncRun, range: DayRange): Promise<Batch[]> {
  if (range.first === range.last) {
    return [{ range, rows: run.state.days[range.first]?.rows ?? 0 }];
  }
  const matching = await coverageOf(run, range);
  if (matching.length === 0) {
    return [{ range, rows: 0 }];
  }
  const cuts = cutByDate(matching, filtersOn(range, run.filters), BATCH_ROWS);
  return cuts.map(({ filters: { start_date, end_date }, rows }) => ({
    range: { first: start_date ?? range.first, last: end_date ?? range.last },
    rows,
  }));
}

/** Writes the file of each day into the staging folder. */
async function stage(run: SyncRun, spool: PartitionSpool): Promise<Map<string, DayState>> {
  const days = new Map<string, DayState>();
  for (const partition of await spool.partitions()) {
    const day = partition.slice("crawl_date=".length);
    const path = stagedFile(run, day);
    const tally: DayTally = { counts: {}, digest: Buffer.alloc(32) };
    const written = await writeStaged(path, tallied(spool.read(partition), tally), run.options.createEncoder());
    days.set(day, { ...written, digest: tally.digest.toString("hex"), counts: tally.counts, checked: run.checkedAt });
  }
  return days;
}

/** The order of the parts of an `rcd`. */
const RCD_COLUMNS = ["retailer", "category", "department"] as const;

interface DayTally {
  counts: Record<string, number>;
  /** The SHA-256 of all rows, combined by exclusive or. A set has no row twice. */
  digest: Buffer;
}

async function* tallied(
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
      counts[rcd] = (counts[rcd] ?? 0) + 1;
      // As a binary string it takes half the time of a buffer.
      const ofRow = hash("sha256", rows.bytes.subarray(rows.start(row), rows.end(row)), "binary");
      for (let index = 0; index < digest.length; index += 1) {
        digest[index] = (digest[index] as number) ^ ofRow.charCodeAt(index);
      }
    }
    yield rows;
  }
}
