import { hash } from "node:crypto";
import type { CoverageSummary } from "../../contract/coverage.ts";
import { SetChangedError } from "../../contract/errors.ts";
import type { Extent, StoredBytes } from "../../files/stored-bytes.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { batchOfLines } from "../../rows/scan.ts";

/** What a walk knows after a page. Plain JSON, so that another process can continue from it. */
export interface PageFacts {
  /** Rows of the page. */
  rows: number;
  /** SHA-256 of the page's rows as NDJSON, shortened to 128 bits. */
  digest: string;
  /** Cursor of the next page; null after the last one. */
  cursor: string | null;
  set: SetFacts;
}

/** What a page reports about the whole set. */
export interface SetFacts {
  /** Null if the service does not report it; the rows are then compared with the coverage only. */
  total: number | null;
  /** Excludes the rows outside the filters, whose number may change at any time. */
  coverage: Omit<CoverageSummary, "corpus_rows">;
  /** Version of the data, if the service names it. */
  version?: string;
}

/** A page that is in a store. */
export interface StoredPage extends PageFacts {
  /** Where its rows lie, as NDJSON. */
  extent: Extent;
}

/** The pages of a store, by the ID of their slice, each from the first page on. */
export type PagesBySlice = Map<string, StoredPage[]>;

/** How the set of a store was cut into slices. */
export interface PlanCuts {
  page_size: number;
  slice_pages: number;
}

/**
 * The pages that a pull has read, on disk, by slice. A walk never asks for a stored page again;
 * some are requested once more to be compared. Memory: a few hundred bytes a page.
 */
export type PageStore = ReturnType<typeof createPageStore>;

/** What changes the pages of a store. */
export type PageLine =
  /**
   * The page number `index` of its slice, from 0, is in the file of rows. What the slice had from this page on no longer
   * counts.
   */
  | ({ kind: "page"; slice: string; index: number } & StoredPage)
  /** Drops all pages that are stored for the slice so far. */
  | { kind: "drop"; slice: string };

/** Changes the pages of a store as a line says. */
export function apply(line: PageLine, pages: PagesBySlice): void {
  if (line.kind === "drop") {
    pages.delete(line.slice);
    return;
  }
  const { kind: _, slice, index, ...page } = line;
  const known = pages.get(slice) ?? [];
  known.splice(index, Number.POSITIVE_INFINITY, page);
  pages.set(slice, known);
}

interface PageStoreOptions {
  /** What an earlier process read. */
  pages?: PagesBySlice;
  cuts?: PlanCuts | undefined;
  /** Called before the first page, unless there are `cuts`. */
  begin?: (cuts: PlanCuts) => Promise<void>;
  /** Called after each page was appended, and before the pages of a slice are discarded. */
  record?: (line: PageLine) => Promise<void>;
}

export function createPageStore(bytes: StoredBytes, options: PageStoreOptions = {}) {
  const { pages = new Map<string, StoredPage[]>(), begin, record } = options;
  let { cuts } = options;
  /** Pages that this process wrote, or has compared with their digest before. */
  const intact = new WeakSet<Extent>();
  /** Slices whose rows are freed, because the output has them. */
  const freed = new Set<string>();
  const pagesOf = (slice: string): readonly StoredPage[] => pages.get(slice) ?? [];

  /** Forgets the pages of a slice after its first `kept` ones. @throws SetChangedError if the output has its rows */
  const drop = (slice: string, kept = 0): void => {
    if (freed.has(slice)) {
      throw new SetChangedError("the set changed while it was read: rows that were already written are different now");
    }
    for (const { extent } of pages.get(slice)?.splice(kept) ?? []) {
      bytes.free(extent);
    }
  };

  return {
    /** @returns how the set was cut when the store began; `wanted` for a new one */
    begin: async (wanted: PlanCuts): Promise<PlanCuts> => {
      if (cuts === undefined) {
        await begin?.(wanted);
        cuts = wanted;
      }
      return cuts;
    },
    /** The pages of a slice, from its first page on. */
    pagesOf,
    /** Number of the rows of some slices. */
    rowsOf: (slices: readonly { id: string }[]): number => {
      let sum = 0;
      for (const { id } of slices) {
        for (const { rows } of pagesOf(id)) {
          sum += rows;
        }
      }
      return sum;
    },
    /** Saves the page number `index` of its slice, from 0; what the store has from this page on is out of date. */
    save: async (slice: string, index: number, rows: RowBatch, facts: PageFacts): Promise<void> => {
      drop(slice, index);
      const extent = await bytes.append(rows.lines());
      const line: PageLine = { kind: "page", slice, index, ...facts, extent };
      intact.add(extent);
      await record?.(line);
      apply(line, pages);
    },
    /** Whether this process wrote the page, or has compared it with its digest. */
    isIntact: ({ extent }: StoredPage): boolean => intact.has(extent),
    /** The rows of a page; undefined if it is damaged. */
    read: async ({ digest, extent }: StoredPage): Promise<RowBatch | undefined> => {
      const lines = await bytes.read(extent);
      if (lines === undefined || !(intact.has(extent) || hash("sha256", lines).startsWith(digest))) {
        return undefined;
      }
      intact.add(extent);
      return batchOfLines(lines);
    },
    /** Keeps the first `count` pages of a slice, because the next one is damaged. */
    keepFirst: (slice: string, count: number): void => drop(slice, count),
    /** Frees the rows of a slice that the output has. The facts of its pages stay, and its pages can no longer be discarded. */
    freeRows: (slice: string): void => {
      freed.add(slice);
      for (const { extent } of pagesOf(slice)) {
        bytes.free(extent);
      }
    },
    /**
     * Drops the pages of a slice that are found to be wrong. A later process does not use them either.
     *
     * @throws SetChangedError if the output has its rows
     */
    discard: async (slice: string): Promise<void> => {
      if (pagesOf(slice).length > 0) {
        await record?.({ kind: "drop", slice });
        drop(slice);
      }
    },
    /**
     * Drops the pages of all other slices, and of slices with pages of another version of the data. Without a version
     * nothing else is dropped: the walks notice pages that are out of date.
     *
     * @returns the number of pages of other versions
     * @throws SetChangedError if the output has rows of them
     */
    keepOnly: (slices: ReadonlySet<string>, version: string | undefined): number => {
      let outdated = 0;
      for (const [slice, kept] of pages) {
        const isOutdated = version !== undefined && kept.some(({ set }) => set.version !== version);
        if (!slices.has(slice) || isOutdated) {
          outdated += isOutdated ? kept.length : 0;
          drop(slice);
        }
      }
      return outdated;
    },
    /** The version of the data of the first page; undefined without a page, or if that names no version. */
    version: (): string | undefined => [...pages.values()].flat()[0]?.set.version,
    /** Rows of a page; undefined before the store began. */
    pageSize: (): number | undefined => cuts?.page_size,
    /** Number of pages. */
    size: () => countPages(pages),
  };
}

export function countPages(pages: PagesBySlice): number {
  return [...pages.values()].reduce((sum, { length }) => sum + length, 0);
}
