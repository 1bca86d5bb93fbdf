import { EventEmitter, once } from "node:events";
import { FileError } from "../contract/errors.ts";
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

/**
 * Sources that may begin before the consumer is done with the current one, for each walk, where pages go when they were passed
 * on: those that wait take a bounded room on disk, 270 MB with eight walks.
 */
const SOURCES_AHEAD = 4;

/** A page that waits: on disk, in memory, or both. */
interface WaitingPage {
  rows: RowBatch | undefined;
  stored: StoredPage | undefined;
}

interface Lane {
  pages: WaitingPage[];
  /** How its source has ended. */
  end: { failure?: unknown } | undefined;
}

/**
 * Reads `concurrency` sources of pages at once and yields their rows in the order of the sources. Pages of the current source
 * pass through memory; pages of later sources wait in the store. If the disk is full, a source keeps the page that
 * it has and waits. A source whose pages are all in the store is read at its turn.
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
  const changed = new EventEmitter().setMaxListeners(0);
  const abort = () => {
    controller.abort(signal.reason);
    changed.emit("change");
  };
  signal.addEventListener("abort", abort, { once: true });
  const lanes = sources.map((): Lane => ({ pages: [], end: undefined }));
  const isInStore = sources.map(({ key }) => store.pagesOf(key).at(-1)?.cursor === null);
  let head = 0;
  let next = 0;

  const mayAdd = (index: number): boolean => {
    const inMemory = lanes[index]?.pages.filter(({ rows }) => rows !== undefined).length ?? 0;
    return index === head ? inMemory < PAGES_AT_HEAD : inMemory === 0;
  };

  /** Saves a page, the one of that number of its source, and frees the bytes of one that is not needed soon. */
  const saved = async (index: number, number: number, { rows, facts, stored }: WalkedPage): Promise<WaitingPage> => {
    const { key } = sources[index] as WalkSource;
    const isSaved = stored !== undefined || !(store.keeps || index !== head);
    const page: WaitingPage = { rows, stored: isSaved ? stored : await store.save(key, number, rows, facts) };
    if (page.stored === undefined || index === head) {
      return page;
    }
    rows.clear();
    return { ...page, rows: undefined };
  };

  const read = async (index: number): Promise<void> => {
    const { pages } = lanes[index] as Lane;
    let number = 0;
    for await (const page of (sources[index] as WalkSource).walk(controller.signal)) {
      pages.push(await saved(index, number, page));
      number += 1;
      changed.emit("change");
      while (!mayAdd(index)) {
        controller.signal.throwIfAborted();
        await once(changed, "change");
      }
    }
  };

  const fill = async (index: number): Promise<void> => {
    const lane = lanes[index] as Lane;
    lane.end = await read(index).then(
      () => ({}),
      (failure: unknown) => ({ failure }),
    );
    changed.emit("change");
  };

  /** Reads one source after another. None begins after one has failed. */
  const work = async (): Promise<void> => {
    while (next < sources.length && !controller.signal.aborted && !lanes.some(hasFailed)) {
      if (!store.keeps && next - head >= SOURCES_AHEAD * concurrency) {
        await once(changed, "change");
        continue;
      }
      next += 1;
      if (!isInStore[next - 1]) {
        await fill(next - 1);
      }
    }
  };

  const working = Array.from({ length: concurrency }, work);
  try {
    for (; head < sources.length; head += 1) {
      changed.emit("change");
      const lane = lanes[head] as Lane;
      if (isInStore[head]) {
        working.push(fill(head));
      }
      while (lane.pages.length > 0 || lane.end === undefined) {
        const page = lane.pages.shift();
        if (page === undefined) {
          signal.throwIfAborted();
          await once(changed, "change");
          continue;
        }
        changed.emit("change");
        const rows = await rowsOf(page, store);
        if (rows.length > 0) {
          yield { index: head, rows };
        }
      }
      if (hasFailed(lane)) {
        throw lane.end?.failure;
      }
      yield { index: head, rows: undefined };
    }
  } finally {
    signal.removeEventListener("abort", abort);
    controller.abort(new Error("the schedule ended"));
    changed.emit("change");
    await Promise.all(working);
  }
}

function hasFailed({ end }: Lane): boolean {
  return end !== undefined && "failure" in end;
}

async function rowsOf({ rows, stored }: WaitingPage, store: PageStore): Promise<RowBatch> {
  const found = rows ?? (stored && (await store.read(stored)));
  if (found === undefined) {
    throw new FileError("a page was damaged on disk after it was written; repeat the command", "pages");
  }
  return found;
}
