import { hash } from "node:crypto";
import { type StoredBytes, temporaryBytes, waitingRoom } from "../../files/stored-bytes.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOfLines } from "../../rows/scan.ts";
import { countPages, type PlanCuts, type StoreLine } from "./store-lines.ts";
import type { StoredPage, WalkPlace } from "./stored-page.ts";

/**
 * The pages that a pull has read, on disk, by slice (see `sliceKey`). A page in the store is never asked for again.
 * Memory: a few hundred bytes a page.
 */
export type PageStore = ReturnType<typeof createPageStore>;

interface PageStoreOptions {
  /** Whether a page stays when its rows were passed on, so that an output can be made again, also by another process. */
  keeps: boolean;
  /** What an earlier process read. */
  pages?: Map<string, StoredPage[]>;
  cuts?: PlanCuts | undefined;
  /** Receives a line for each change. */
  record?: (line: StoreLine) => Promise<void>;
}

/** A store that ends with this process. */
export function temporaryStore(): PageStore {
  return createPageStore(temporaryBytes(), { keeps: true });
}

/** A store of the pages that wait for a reader of stdout. It ends with this process. */
export async function waitingPages(): Promise<PageStore> {
  return createPageStore(temporaryBytes(await waitingRoom()), { keeps: false });
}

export function createPageStore(bytes: StoredBytes, options: PageStoreOptions) {
  const { keeps, pages = new Map<string, StoredPage[]>(), record = async () => undefined } = options;
  let { cuts } = options;
  const pagesOf = (key: string): readonly StoredPage[] => pages.get(key) ?? [];

  /** Forgets the pages of a slice after its first `kept` ones. */
  const drop = async (key: string, kept = 0): Promise<void> => {
    const dropped = pagesOf(key).slice(kept);
    if (dropped.length > 0) {
      await record({ kind: "drop", slice: key, pages: kept });
      kept === 0 ? pages.delete(key) : pages.set(key, pagesOf(key).slice(0, kept));
      for (const { extent } of dropped) {
        bytes.free(extent);
      }
    }
  };

  return {
    keeps,
    /** How the set was cut when the store began; undefined for a new store. */
    cuts: () => cuts,
    planned: async (planned: PlanCuts): Promise<void> => {
      if (cuts === undefined) {
        await record({ kind: "plan", ...planned });
        cuts = planned;
      }
    },
    /** The pages of a slice, from its first page on. */
    pagesOf,
    /**
     * Saves the page that follows the first `index` pages of its slice; what the store has after these is out of date.
     *
     * @returns undefined if there is no room; a store that keeps its pages throws instead
     */
    save: async (key: string, index: number, rows: RowBatch, place: WalkPlace): Promise<StoredPage | undefined> => {
      await drop(key, index);
      const extent = await bytes.append(rows.lines());
      if (extent === undefined) {
        return undefined;
      }
      const page = { place, extent };
      await record({ kind: "page", slice: key, ...page });
      pages.set(key, [...pagesOf(key), page]);
      return page;
    },
    /** The rows of a page; undefined if it is damaged. */
    read: async ({ place, extent }: StoredPage): Promise<RowBatch | undefined> => {
      const lines = await bytes.read(extent);
      return lines && hash("sha256", lines).startsWith(place.digest) ? batchOfLines(lines) : undefined;
    },
    hasRoom: bytes.hasRoom,
    drop,
    /** The rows of a slice were passed on. */
    passed: async (key: string): Promise<void> => {
      if (!keeps) {
        await drop(key);
      }
    },
    /** Drops the pages of all other slices. */
    keepOnly: async (keys: ReadonlySet<string>): Promise<void> => {
      for (const key of [...pages.keys()].filter((known) => !keys.has(known))) {
        await drop(key);
      }
    },
    /** The slices that it has pages of. */
    keys: () => [...pages.keys()],
    /** Number of its pages. */
    size: () => countPages(pages),
    close: bytes.close,
  };
}
