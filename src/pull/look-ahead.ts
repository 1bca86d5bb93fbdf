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
 * Pages that were read and are not yet written for good, on disk, by slice (see `sliceKey`). In memory there are a few
 * hundred bytes for each.
 */
export interface LookAhead {
  /** Whether every page is saved until its slice is written for good, so that another process can go on from there. */
  isKept: boolean;
  /** The saved pages of a slice, from its first on. */
  pagesOf(key: string): readonly SavedPage[];
  /**
   * Saves a page after those of its slice. One that is kept is saved beyond the limit, too: whoever has no room asks for
   * no more pages.
   *
   * @returns undefined where there is no room
   */
  save(key: string, rows: RowBatch, place: WalkPlace): Promise<SavedPage | undefined>;
  read(page: SavedPage): Promise<RowBatch>;
  hasRoom(): boolean;
  /** The pages of a slice are written for good, or no longer true. */
  drop(key: string): Promise<void>;
  /** Drops the pages of all other slices. */
  keepOnly(keys: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

/** What is told of pages, for whoever keeps a record of them. */
export interface LookAheadRecord {
  saved(key: string, page: SavedPage): Promise<void>;
  dropped(key: string): Promise<void>;
}

/** Room for pages that wait for their turn, unless `--spool-limit` says otherwise. */
const DEFAULT_SPOOL_LIMIT = 4 * 1024 ** 3;

/** A look-ahead that ends with this process. */
export async function temporaryLookAhead(limit = DEFAULT_SPOOL_LIMIT): Promise<LookAhead> {
  return createLookAhead(await openTemporarySpool(limit), new Map());
}

/**
 * @param pages that an earlier process saved
 * @param record makes the look-ahead one that is kept
 */
export function createLookAhead(
  spool: Spool,
  pages: Map<string, SavedPage[]>,
  record?: LookAheadRecord | undefined,
): LookAhead {
  const drop = async (key: string): Promise<void> => {
    const dropped = pages.get(key);
    if (dropped !== undefined) {
      pages.delete(key);
      // The room may be used again only once nobody looks for the pages there.
      await record?.dropped(key);
      for (const { extent } of dropped) {
        spool.free(extent);
      }
    }
  };
  return {
    isKept: record !== undefined,
    pagesOf: (key) => pages.get(key) ?? [],
    save: async (key, rows, place) => {
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
    read: async ({ extent }) => batchOfLines(await spool.read(extent)),
    hasRoom: spool.hasRoom,
    drop,
    keepOnly: async (keys) => {
      for (const key of [...pages.keys()].filter((known) => !keys.has(known))) {
        await drop(key);
      }
    },
    close: spool.close,
  };
}
