import type { PullObserver } from "../../pull/pull.ts";
import type { Batch } from "./batch.ts";

/** What a run tells while it pulls. */
export interface SyncObserver {
  /** What the whole run will pull, as far as it is known: told at first, and again when the plan of a batch is made. */
  onTotal(total: SyncTotal): void;
  /** Rows of all batches so far. */
  onRows(rows: number): void;
  onRestart(reason: string): void;
}

interface SyncTotal {
  rows: number;
  /** Requests for pages of rows. */
  requests: number;
}

/**
 * Adds up what the pulls of all batches tell.
 *
 * @returns the observer of the pull of one batch; batches are pulled one after the other
 */
export function countBatches(
  batches: readonly Batch[],
  pageSize: number,
  observer: SyncObserver | undefined,
): (batch: Batch) => PullObserver {
  const expected = new Map<Batch, SyncTotal>();
  for (const batch of batches) {
    expected.set(batch, { rows: batch.rows, requests: Math.ceil(batch.rows / pageSize) });
  }
  const tellTotal = () => {
    const total = { rows: 0, requests: 0 };
    for (const { rows, requests } of expected.values()) {
      total.rows += rows;
      total.requests += requests;
    }
    observer?.onTotal(total);
  };
  if (batches.length > 0) {
    tellTotal();
  }
  let written = 0;
  return (batch) => {
    const before = written;
    return {
      onPlan: async ({ totalRows, requests }) => {
        expected.set(batch, { rows: totalRows, requests });
        tellTotal();
      },
      onRows: (rows) => {
        written = before + rows;
        observer?.onRows(written);
      },
      onRestart: (reason) => observer?.onRestart(reason),
    };
  };
}
