import { FileError } from "../errors.ts";
import type { RowBatch } from "../rows/batch.ts";
import type { PageStore, StoredPage } from "./store/page-store.ts";
import type { WalkedPage } from "./walk.ts";

/** Rows of one source, or its end if there are none. Sources are passed on whole and in order. */
export interface ScheduledRows {
  /** Index of the source. */
  index: number;
  rows: RowBatch | undefined;
}

/** One walk. */
export interface WalkSource {
  /** Key of its pages in the store. */
  key: string;
  /** Yields all pages, those in the store first. */
  walk(signal: AbortSignal): AsyncIterable<WalkedPage>;
}

/** Pages of the current source that may wait in memory for the consumer. */
const PAGES_AT_HEAD = 2;

/** A page that waits: on disk, in memory, or both. */
interface WaitingPage {
  rows: RowBatch | undefined;
  stored: StoredPage | undefined;
}

interface Lane {
  pages: WaitingPage[];
  /** Begins to read a source whose pages are all in the store. */
  begin: (() => void) | undefined;
  done: boolean;
  failure: { error: unknown } | undefined;
}

/**
 * Reads `concurrency` sources of pages at once and yields their rows in the order of the sources. Pages of the current source
 * pass through memory; pages of later sources wait in the store. If there is no room for a page, its source keeps that one
 * page and waits. A source whose pages are all in the store is read at its turn.
 *
 * Memory: at most two pages for each of the `concurrency` sources, and `PAGES_AT_HEAD`, whatever the size of the set.
 *
 * An error of a later source is thrown at its turn, after everything before it has been passed on.
 */
export async function* inOrder(
  sources: readonly WalkSource[],
  { concurrency, store }: { concurrency: number; store: PageStore },
  signal: AbortSignal,
): AsyncGenerator<ScheduledRows, void, void> {
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
  let failed = false;

  const inMemory = ({ pages }: Lane) => pages.filter(({ rows }) => rows !== undefined).length;
  const mayAdd = (index: number, lane: Lane): boolean =>
    index === head ? inMemory(lane) < PAGES_AT_HEAD : inMemory(lane) === 0 && store.hasRoom();

  /** Saves a page, and frees the bytes of one that is not needed soon. @param number of its earlier pages */
  const add = async (index: number, lane: Lane, { rows, facts, stored }: WalkedPage, number: number): Promise<void> => {
    const page: WaitingPage = { rows, stored };
    if (stored === undefined && (store.keeps || index !== head)) {
      page.stored = await store.save((sources[index] as WalkSource).key, number, rows, facts);
    }
    if (page.stored !== undefined && index !== head) {
      page.rows = undefined;
      rows.clear();
    }
    lane.pages.push(page);
    changed.notify();
  };

  const read = async (index: number, source: WalkSource, lane: Lane): Promise<void> => {
    // The next page is requested while this one is saved.
    let adding = Promise.resolve();
    let number = 0;
    try {
      for await (const page of source.walk(controller.signal)) {
        await adding;
        adding = add(index, lane, page, number);
        adding.catch(() => {});
        number += 1;
        while (!mayAdd(index, lane)) {
          controller.signal.throwIfAborted();
          await changed.wait();
        }
      }
    } finally {
      await adding;
    }
  };

  const fill = async (index: number, lane: Lane): Promise<void> => {
    active += 1;
    try {
      await read(index, sources[index] as WalkSource, lane);
      lane.done = true;
    } catch (error) {
      failed = true;
      lane.failure = { error };
    } finally {
      active -= 1;
      start();
      changed.notify();
    }
  };

  const start = (): void => {
    while (!failed && !controller.signal.aborted && active < concurrency && lanes.length < sources.length) {
      const lane: Lane = { pages: [], begin: undefined, done: false, failure: undefined };
      const index = lanes.push(lane) - 1;
      if (isInStore(sources[index] as WalkSource, store)) {
        lane.begin = () => void fill(index, lane);
      } else {
        void fill(index, lane);
      }
    }
  };

  try {
    start();
    for (; head < sources.length; head += 1) {
      changed.notify();
      const lane = lanes[head] as Lane;
      lane.begin?.();
      for (;;) {
        const page = lane.pages.shift();
        if (page !== undefined) {
          changed.notify();
          const rows = await rowsOf(page, store);
          if (rows.length > 0) {
            yield { index: head, rows };
          }
        } else if (lane.failure !== undefined) {
          throw lane.failure.error;
        } else if (lane.done) {
          break;
        } else {
          signal.throwIfAborted();
          await changed.wait();
        }
      }
      yield { index: head, rows: undefined };
    }
  } finally {
    signal.removeEventListener("abort", abort);
    controller.abort(new Error("the schedule ended"));
    changed.notify();
    while (active > 0) {
      await changed.wait();
    }
  }
}

function isInStore({ key }: WalkSource, store: PageStore): boolean {
  return store.pagesOf(key).at(-1)?.cursor === null;
}

async function rowsOf({ rows, stored }: WaitingPage, store: PageStore): Promise<RowBatch> {
  const found = rows ?? (stored && (await store.read(stored)));
  if (found === undefined) {
    throw new FileError("a page was damaged on disk after it was written; repeat the command", "pages");
  }
  return found;
}

function createNotifier() {
  let waiting: (() => void)[] = [];
  return {
    /** Resolves at the next `notify`. */
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    notify: () => {
      const woken = waiting;
      waiting = [];
      for (const resolve of woken) {
        resolve();
      }
    },
  };
}
