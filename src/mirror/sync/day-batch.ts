import { hash } from "node:crypto";
import { join } from "node:path";
import { createPartitionSink, writeWhole } from "../../export/partition-sink.ts";
import { openPartitionSpool } from "../../output/destination/partition-spool.ts";
import { partitionOf } from "../../output/destination/partitions.ts";
import { cutByDate } from "../../pull/date-cuts.ts";
import { type PullObserver, pull } from "../../pull/pull.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { DayState } from "../folder/folder-state.ts";
import { type Batch, type DayRange, isInRange } from "./day-ranges.ts";
import { placeDays, stagedFile, stagingOf } from "./place.ts";
import { coverageOf, filtersOn, type SyncRun } from "./sync-run.ts";

/** Rows of one batch. Each batch is stored before the next one is read, so an interruption loses at most one batch. */
const BATCH_ROWS = 100_000;

/**
 * Reads a batch and replaces the files of its days, each in one step. A day with the same rows keeps its file.
 *
 * @param onRemoval called with the number of rows before they are removed; it throws if they must be kept
 */
export async function syncBatch(
  run: SyncRun,
  { range }: Batch,
  onRemoval: (rows: number) => void,
  observer: PullObserver,
): Promise<void> {
  const { state, untrusted, checkedAt, counts } = run;
  const staged = await stage(run, range, observer);
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
  }
  onRemoval(lost);
  counts.rowsRemoved += lost;
  counts.days += staged.size + removed.length;
  counts.daysChanged += replaced.size + removed.length;
  counts.daysRemoved += removed.length;
  await placeDays(run, { replaced, removed });
  for (const day of staged.keys()) {
    Object.assign(state.days[day] ?? {}, { checked: checkedAt });
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

/** Pulls the rows and writes the file of each day into the staging folder. */
async function stage(
  { client, filters, options, checkedAt }: SyncRun,
  range: DayRange,
  observer: PullObserver,
): Promise<Map<string, DayState>> {
  const { folder, createEncoder, pageSize, concurrency, signal } = options;
  const spool = await openPartitionSpool(join(stagingOf(folder), "rows"));
  try {
    const pulled = { filters: filtersOn(range, filters), pageSize, concurrency, signal, observer };
    await pull(client, createPartitionSink(spool, partitionOf(["crawl_date"])), pulled);
    const days = new Map<string, DayState>();
    for (const partition of await spool.partitions()) {
      const day = partition.slice("crawl_date=".length);
      const path = stagedFile(folder, day);
      const tally: DayTally = { counts: {}, digest: Buffer.alloc(32) };
      const written = await writeWhole(path, tallied(spool.read(partition), tally), createEncoder());
      days.set(day, { ...written, digest: tally.digest.toString("hex"), counts: tally.counts, checked: checkedAt });
    }
    return days;
  } finally {
    await spool.close();
  }
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
