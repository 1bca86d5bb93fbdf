import type { RowBatch } from "../rows/batch.ts";
import type { LookAhead, SavedPage } from "./look-ahead.ts";
import type { WalkedPage, WalkPlace } from "./walk.ts";

/** An event of the schedule: rows of one source, or its end. Sources are passed on whole and in order. */
export type ScheduledEvent = { kind: "rows"; index: number; rows: RowBatch } | { kind: "end"; index: number };

/** One walk. */
export interface WalkSource {
  /** Key of its pages in the look-ahead. */
  key: string;
  /** Yields the pages after the saved ones. */
  walk(earlier: readonly SavedPage[], signal: AbortSignal): AsyncIterable<WalkedPage>;
}

/** Pages of the current source that may wait in memory for the consumer. */
const PAGES_AT_HEAD = 2;

/** A page that waits: on disk, in memory, or both. */
interface WaitingPage {
  rows: RowBatch | undefined;
  place: WalkPlace;
  saved: SavedPage | undefined;
}

interface Lane {
  pages: WaitingPage[];
  /** The last page that is being saved; pages are saved one after another. */
  saving: Promise<void>;
  /** Whether a page could not be saved and was passed on; saving later pages would leave a gap. */
  hasGap: boolean;
  done: boolean;
  failure: { error: unknown } | undefined;
}

/**
 * Reads `concurrency` sources of pages at once and yields their rows in the order of the sources. Pages of the current source
 * pass through memory; pages of later sources wait in the look-ahead. If there is no room for a page, its source keeps
 * that one page and waits.
 *
 * Memory: at most two pages for each of the `concurrency` sources, and `PAGES_AT_HEAD`, whatever the size of the set.
 *
 * An error of a later source is thrown at its turn, after everything before it has been passed on.
 */
export async function* inOrder(
  sources: readonly WalkSource[],
  { concurrency, lookAhead }: { concurrency: number; lookAhead: LookAhead },
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
  let failed = false;

  const inMemory = ({ pages }: Lane) => pages.filter(({ rows }) => rows !== undefined).length;
  const mayAdd = (index: number, lane: Lane): boolean =>
    index === head ? inMemory(lane) < PAGES_AT_HEAD : inMemory(lane) === 0 && lookAhead.hasRoom();

  /** Saves a page after the earlier ones, if there is room. */
  const save = (index: number, lane: Lane, page: WaitingPage, place: WalkPlace): Promise<void> => {
    const { key } = sources[index] as WalkSource;
    lane.saving = lane.saving.then(async () => {
      if (!lane.hasGap && page.rows !== undefined) {
        page.saved = await lookAhead.save(key, page.rows, place);
      }
    });
    return lane.saving;
  };

  /** Frees the bytes of a page that is saved and not needed soon. */
  const add = async (index: number, lane: Lane, { rows, place }: WalkedPage): Promise<void> => {
    const page: WaitingPage = { rows, place, saved: undefined };
    if (lookAhead.isKept || index !== head) {
      await save(index, lane, page, place);
    }
    if (page.saved !== undefined && index !== head) {
      page.rows = undefined;
      rows.clear();
    }
    lane.pages.push(page);
    changed.notify();
  };

  /** The rows of the current page. */
  const take = async (lane: Lane, page: WaitingPage): Promise<RowBatch> => {
    if (lookAhead.isKept && page.saved === undefined) {
      await save(head, lane, page, page.place);
    }
    lane.hasGap ||= page.saved === undefined;
    return page.rows ?? (await lookAhead.read(page.saved as SavedPage));
  };

  const read = async (index: number, source: WalkSource, lane: Lane): Promise<void> => {
    const earlier = [...lookAhead.pagesOf(source.key)];
    lane.pages = earlier.map((saved) => ({ rows: undefined, place: saved.place, saved }));
    changed.notify();
    if (earlier.at(-1)?.place.cursor === null) {
      return;
    }
    // The next page is requested while this one is saved.
    let adding = Promise.resolve();
    try {
      for await (const page of source.walk(earlier, controller.signal)) {
        await adding;
        adding = add(index, lane, page);
        adding.catch(() => {});
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
      const lane: Lane = { pages: [], saving: Promise.resolve(), hasGap: false, done: false, failure: undefined };
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
          changed.notify();
          const rows = await take(lane, page);
          if (rows.length > 0) {
            yield { kind: "rows", index: head, rows };
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
      yield { kind: "end", index: head };
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
