import type { RowBatch } from "../rows/batch.ts";
import { type HeldPage, hold, release } from "./look-ahead.ts";

/** What the schedule hands on: rows of one source, or its end. Sources come whole and in their order. */
export type ScheduledEvent = { kind: "rows"; index: number; rows: RowBatch } | { kind: "end"; index: number };

export interface ScheduleOptions {
  /** Sources that are read at once. */
  concurrency: number;
  /** Bytes of compressed pages that may wait for their turn, over all sources. */
  lookAheadBytes: number;
}

/** Pages of the source whose turn it is that may wait uncompressed for the consumer. */
const PAGES_AT_HEAD = 2;

interface Lane {
  pages: HeldPage[];
  done: boolean;
  failure: { error: unknown } | undefined;
}

/**
 * Reads several sources of pages at once and yields their rows in the order of the sources. Pages of the source whose
 * turn it is pass straight through; those of later ones wait compressed.
 *
 * Memory: at most `concurrency` + 2 pages as they are, as many that are being compressed, and `lookAheadBytes` of
 * compressed ones plus one for each source, whatever the size of the set.
 *
 * A failure of a later source is thrown when its turn comes, so that everything before it is handed on first.
 */
export async function* inOrder(
  sources: readonly ((signal: AbortSignal) => AsyncIterable<RowBatch>)[],
  { concurrency, lookAheadBytes }: ScheduleOptions,
  signal: AbortSignal,
): AsyncGenerator<ScheduledEvent, void, void> {
  const controller = new AbortController();
  const changed = createNotifier();
  const abort = () => {
    controller.abort(signal.reason);
    changed.notify();
  };
  signal.addEventListener("abort", abort, { once: true });
  const lanes: Lane[] = [];
  let head = 0;
  let active = 0;
  let heldBytes = 0;
  let failed = false;

  const mayAdd = (index: number): boolean => {
    const lane = lanes[index] as Lane;
    return index === head ? lane.pages.length < PAGES_AT_HEAD : heldBytes < lookAheadBytes;
  };

  const add = async (index: number, lane: Lane, rows: RowBatch): Promise<void> => {
    const page = index === head ? { rows } : await hold(rows);
    lane.pages.push(page);
    heldBytes += bytesOf(page);
    changed.notify();
  };

  const read = async (index: number, lane: Lane): Promise<void> => {
    const source = sources[index] as (typeof sources)[number];
    // The next page is on its way while this one is compressed.
    let adding = Promise.resolve();
    try {
      for await (const rows of source(controller.signal)) {
        await adding;
        adding = add(index, lane, rows);
        adding.catch(() => {});
        while (!mayAdd(index)) {
          controller.signal.throwIfAborted();
          await changed.wait();
        }
      }
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      active -= 1;
      start();
      await adding;
    }
  };

  const fill = async (index: number, lane: Lane): Promise<void> => {
    active += 1;
    try {
      await read(index, lane);
      lane.done = true;
    } catch (error) {
      lane.failure = { error };
    } finally {
      changed.notify();
    }
  };

  const start = (): void => {
    while (!failed && !controller.signal.aborted && active < concurrency && lanes.length < sources.length) {
      const lane: Lane = { pages: [], done: false, failure: undefined };
      lanes.push(lane);
      void fill(lanes.length - 1, lane);
    }
  };

  try {
    start();
    for (; head < sources.length; head += 1) {
      changed.notify();
      const lane = lanes[head] as Lane;
      for (;;) {
        const page = lane.pages.shift();
        if (page !== undefined) {
          heldBytes -= bytesOf(page);
          changed.notify();
          yield { kind: "rows", index: head, rows: await release(page) };
        } else if (lane.failure !== undefined) {
          throw lane.failure.error;
        } else if (lane.done) {
          break;
        } else {
          signal.throwIfAborted();
          await changed.wait();
        }
      }
      yield { kind: "end", index: head };
    }
  } finally {
    signal.removeEventListener("abort", abort);
    controller.abort(new Error("the schedule ended"));
    changed.notify();
    await settled(() => active === 0, changed);
  }
}

function bytesOf(page: HeldPage): number {
  return "packed" in page ? page.packed.byteLength : 0;
}

interface Notifier {
  /** Resolves at the next `notify`. */
  wait(): Promise<void>;
  notify(): void;
}

function createNotifier(): Notifier {
  let waiting: (() => void)[] = [];
  return {
    wait: () => new Promise((resolve) => waiting.push(resolve)),
    notify: () => {
      const woken = waiting;
      waiting = [];
      for (const resolve of woken) {
        resolve();
      }
    },
  };
}

async function settled(isSettled: () => boolean, changed: Notifier): Promise<void> {
  while (!isSettled()) {
    await changed.wait();
  }
}
