import { type Extent, openTemporarySpool, type Spool } from "../files/spool.ts";
import type { RowBatch } from "../rows/batch.ts";
import { batchOfLines } from "../rows/scan.ts";
import type { WalkPlace } from "./walk.ts";

/** A page that is in the spool. */
export interface SavedPage {
  place: WalkPlace;
  /** Where its rows are, as NDJSON. */
  extent: Extent;
}

/**
 * Pages on disk that were read but not yet written to the output, by slice (see `sliceKey`). Each takes a few hundred
 * bytes of memory.
 */
export type LookAhead = ReturnType<typeof createLookAhead>;

/** Is notified of saved and dropped pages. */
export interface LookAheadRecord {
  saved(key: string, page: SavedPage): Promise<void>;
  dropped(key: string): Promise<void>;
}

/** Default of `--spool-limit`: disk space for pages that wait to be written. */
const DEFAULT_SPOOL_LIMIT = 4 * 1024 ** 3;

/** A look-ahead that ends with this process. */
export async function temporaryLookAhead(limit = DEFAULT_SPOOL_LIMIT): Promise<LookAhead> {
  return createLookAhead(await openTemporarySpool(limit), new Map());
}

/**
 * @param pages that an earlier process saved
 * @param record if given, the pages are kept for a later process
 */
export function createLookAhead(spool: Spool, pages: Map<string, SavedPage[]>, record?: LookAheadRecord) {
  /** Drops the pages of a slice that is in the output, or whose pages are out of date. */
  const drop = async (key: string): Promise<void> => {
    const dropped = pages.get(key);
    if (dropped !== undefined) {
      pages.delete(key);
      // The space is reused only after no reader looks for the pages there.
      await record?.dropped(key);
      for (const { extent } of dropped) {
        spool.free(extent);
      }
    }
  };
  return {
    /** Whether every page stays saved until its slice is in the output, so that another process can continue from there. */
    isKept: record !== undefined,
    /** The saved pages of a slice, from its first page on. */
    pagesOf: (key: string): readonly SavedPage[] => pages.get(key) ?? [],
    /**
     * Appends a page to its slice. When `isKept` holds, the page is saved even beyond the limit; the caller then stops
     * requesting pages.
     *
     * @returns undefined if there is no room
     */
    save: async (key: string, rows: RowBatch, place: WalkPlace): Promise<SavedPage | undefined> => {
      const extent = await spool.write(rows.lines(), record !== undefined);
      if (extent === undefined) {
        return undefined;
      }
      const page = { place, extent };
      const known = pages.get(key);
      known === undefined ? pages.set(key, [page]) : known.push(page);
      await record?.saved(key, page);
      return page;
    },
    read: async ({ extent }: SavedPage) => batchOfLines(await spool.read(extent)),
    hasRoom: spool.hasRoom,
    drop,
    /** Drops the pages of all other slices. */
    keepOnly: async (keys: ReadonlySet<string>) => {
      for (const key of [...pages.keys()].filter((known) => !keys.has(known))) {
        await drop(key);
      }
    },
    close: spool.close,
  };
}
