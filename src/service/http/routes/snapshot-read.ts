import { type Snapshot, StaleSnapshotError, type Store, StoreUnavailableError } from "../../store/store.ts";

const READS = 3;

/**
 * Reads from one snapshot. If the database is replaced during the read, everything is read again, so that a page never
 * mixes two databases.
 *
 * @param snapshotOf returns the snapshot; the newest one by default
 */
export async function readConsistently<T>(
  store: Store,
  deadline: AbortSignal,
  read: (snapshot: Snapshot) => Promise<T>,
  snapshotOf = (): Promise<Snapshot> => store.snapshot(deadline),
): Promise<T> {
  for (let attempt = 1; attempt <= READS; attempt += 1) {
    const snapshot = await snapshotOf();
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
 * JSON text of an array of the rows with these ids, in UTF-8.
 *
 * @param expected number of rows that the selection has there
 * @throws Error if the store returns another number, because a short page would silently lose rows
 */
export async function readRows(
  store: Store,
  ids: Uint32Array,
  expected: number,
  deadline: AbortSignal,
): Promise<readonly Buffer[]> {
  const { count, bytes } = await store.rows(ids, deadline);
  if (count !== expected) {
    throw new Error(`the store returned ${count} rows, but the selection has ${expected}`);
  }
  return [OPEN, bytes, CLOSE];
}

const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");
