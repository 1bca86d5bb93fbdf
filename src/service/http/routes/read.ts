import { type Snapshot, StaleSnapshotError, type Store, StoreUnavailableError } from "../../store/store.ts";

const READS = 3;

/**
 * Reads from one snapshot. Where the data changed between its ids and its rows, everything is read again from the
 * newest: a page never mixes two versions.
 */
export async function readConsistently<T>(
  store: Store,
  deadline: AbortSignal,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= READS; attempt += 1) {
    const snapshot = await store.snapshot(deadline);
    try {
      return await read(snapshot);
    } catch (error) {
      if (!(error instanceof StaleSnapshotError)) {
        throw error;
      }
    }
  }
  throw new StoreUnavailableError(`the data changed during each of ${READS} reads`);
}

/**
 * JSON text of an array of the rows with these ids.
 *
 * @param expected How many rows the selection holds there.
 * @throws Error where the store gives another number: a short page would be a silent gap.
 */
export async function readRows(
  store: Store,
  ids: Uint32Array,
  expected: number,
  deadline: AbortSignal,
): Promise<string> {
  const rows = ids.length === 0 ? [] : await store.rows(ids, deadline);
  if (rows.length !== expected) {
    throw new Error(`the store gave ${rows.length} rows where the selection holds ${expected}`);
  }
  return `[${rows.join(",")}]`;
}
