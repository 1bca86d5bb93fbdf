import { hash } from "node:crypto";
import { join } from "node:path";
import type { CatalogClient } from "../../api/client.ts";
import type { Filters } from "../../contract/filters.ts";
import { fingerprint } from "../../export/manifest.ts";
import { createPartitionSink, writeWhole } from "../../export/partition-sink.ts";
import type { Lock } from "../../files/lock.ts";
import { openPartitionSpool } from "../../output/destination/partition-spool.ts";
import { partitionOf } from "../../output/destination/partitions.ts";
import type { RowEncoder } from "../../output/formats/encoder.ts";
import { cutByDate } from "../../pull/date-cuts.ts";
import { type PullOptions, pull } from "../../pull/pull.ts";
import type { RowBatch } from "../../rows/batch.ts";
import type { DayState, SyncState } from "../folder/folder-state.ts";
import { type DayRange, isWithin } from "./day-ranges.ts";
import { placeDays, stagedFile, stagingOf } from "./place.ts";

/** Rows of one batch. Each batch is stored before the next one is read, so an interruption loses at most one batch. */
const BATCH_ROWS = 100_000;

/** The result of a batch. */
export interface BatchResult {
  /** Days that were read and have or had rows. */
  days: number;
  /** Days whose files were removed because the service has no rows for them. */
  daysRemoved: number;
  rowsAdded: number;
  rowsReplaced: number;
  rowsRemoved: number;
}

/** Days that are read together. */
export interface Batch {
  range: DayRange;
  /** Expected number of rows. */
  rows: number;
}

export interface BatchOptions extends Omit<PullOptions, "filters" | "maxRows" | "resume"> {
  folder: string;
  createEncoder: () => RowEncoder;
  /** Days whose files differ from the state, or that it does not list. */
  untrusted: ReadonlySet<string>;
  lock: Lock;
  /** When this run compares days, see `DayState`. */
  checkedAt: string;
  /** Called with the number of rows before they are removed. It throws if they must be kept. */
  onRemoval: (rows: number) => void;
}

/**
 * Reads a range of days and replaces the files of these days, each in one step. A day with the same rows keeps its file.
 */
export async function syncRange(
  client: CatalogClient,
  filters: Filters,
  range: DayRange,
  state: SyncState,
  options: BatchOptions,
): Promise<BatchResult> {
  const staged = await stage(client, { ...filters, start_date: range.first, end_date: range.last }, options);
  const known = new Set([...Object.keys(state.days), ...options.untrusted]);
  const removed = [...known].filter((day) => isWithin(day, range) && !staged.has(day));
  const replaced = [...staged].filter(
    ([day, { rows, digest }]) =>
      options.untrusted.has(day) || state.days[day]?.rows !== rows || state.days[day].digest !== digest,
  );
  const result = resultOf(new Map(replaced), removed, state, staged.size + removed.length);
  options.onRemoval(result.rowsRemoved);
  await placeDays(options.folder, options.lock, state, { replaced: new Map(replaced), removed });
  for (const day of staged.keys()) {
    Object.assign(state.days[day] ?? {}, { checked: options.checkedAt });
  }
  return result;
}

/**
 * Divides a range of days into batches, by the row counts of one more coverage request. A single day needs no request,
 * because the copy shows the expected number of rows.
 */
export async function batchesOf(
  client: CatalogClient,
  filters: Filters,
  range: DayRange,
  state: SyncState,
  signal: AbortSignal,
): Promise<Batch[]> {
  if (range.first === range.last) {
    return [{ range, rows: state.days[range.first]?.rows ?? 0 }];
  }
  const within = { ...filters, start_date: range.first, end_date: range.last };
  const matching = (await client.coverage(within, signal)).data.filter(({ matching_rows }) => matching_rows > 0);
  if (matching.length === 0) {
    return [{ range, rows: 0 }];
  }
  return cutByDate(matching, within, BATCH_ROWS).map(({ filters: { start_date, end_date }, rows }) => ({
    range: { first: start_date ?? range.first, last: end_date ?? range.last },
    rows,
  }));
}

/** Pulls the rows and writes the file of each day into the staging folder. */
async function stage(client: CatalogClient, filters: Filters, options: BatchOptions): Promise<Map<string, DayState>> {
  const { folder, createEncoder } = options;
  const spool = await openPartitionSpool(join(stagingOf(folder), "rows"));
  try {
    await pull(client, createPartitionSink(spool, partitionOf(["crawl_date"])), { ...options, filters });
    const days = new Map<string, DayState>();
    for (const partition of spool.partitions()) {
      const day = partition.slice("crawl_date=".length);
      const path = stagedFile(folder, day);
      const tally: Tally = { counts: {}, digest: Buffer.alloc(32) };
      const rows = await writeWhole(path, counted(spool.read(partition), tally), createEncoder());
      const digest = tally.digest.toString("hex");
      days.set(day, { rows, digest, ...(await fingerprint(path)), counts: tally.counts, checked: options.checkedAt });
    }
    return days;
  } finally {
    await spool.close();
  }
}

/** The order of the parts of an `rcd`. */
const RCD_COLUMNS = ["retailer", "category", "department"] as const;

interface Tally {
  counts: Record<string, number>;
  /** The SHA-256 of all rows, combined by exclusive or. A set has no row twice. */
  digest: Buffer;
}

async function* counted(
  batches: AsyncIterable<RowBatch>,
  { counts, digest }: Tally,
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

function resultOf(
  replaced: ReadonlyMap<string, DayState>,
  removed: readonly string[],
  state: SyncState,
  days: number,
): BatchResult {
  const result = { days, daysRemoved: removed.length, rowsAdded: 0, rowsReplaced: 0, rowsRemoved: 0 };
  const count = (before: number, now: number) => {
    result.rowsAdded += Math.max(0, now - before);
    result.rowsReplaced += Math.min(now, before);
    result.rowsRemoved += Math.max(0, before - now);
  };
  for (const [day, { rows }] of replaced) {
    count(state.days[day]?.rows ?? 0, rows);
  }
  for (const day of removed) {
    count(state.days[day]?.rows ?? 0, 0);
  }
  return result;
}
