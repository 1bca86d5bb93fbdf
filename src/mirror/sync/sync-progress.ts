import type { PullObserver } from "../../pull/pull.ts";
import type { Batch } from "./day-ranges.ts";

/** Receives the progress of a run. */
export interface SyncObserver extends Required<Pick<PullObserver, "onRestart" | "onDamage">> {
  /** The expected rows of the run and requests for pages. Called at the start, and again with each plan of a batch. */
  onTotal(total: { rows: number; requests: number }): void;
  /** Rows of all batches so far. */
  onRows(rows: number): void;
  /** Receives a sentence about lost pages of an unfinished run. */
  onNote(note: string): void;
  /** The run ends early; the next one goes on with the pages that it has read. */
  onKept(): void;
}

/**
 * Adds up the progress of all batches.
 *
 * @returns a function that creates the observer of a batch; batches are pulled one after the other
 */
export function countBatches(
  batches: readonly Batch[],
  pageSize: number,
  observer: SyncObserver | undefined,
): (batch: Batch) => PullObserver {
  const expected = new Map(
    batches.map((batch) => [batch, { rows: batch.rows, requests: Math.ceil(batch.rows / pageSize) }]),
  );
  const reportTotal = () => {
    const total = (name: "rows" | "requests") => [...expected.values()].reduce((sum, one) => sum + one[name], 0);
    observer?.onTotal({ rows: total("rows"), requests: total("requests") });
  };
  if (batches.length > 0) {
    reportTotal();
  }
  let written = 0;
  return (batch) => {
    const before = written;
    return {
      ...observer,
      onPlan: async ({ totalRows, requests }) => {
        expected.set(batch, { rows: totalRows, requests });
        reportTotal();
      },
      onRows: (rows) => {
        written = before + rows;
        observer?.onRows(written);
      },
    };
  };
}
