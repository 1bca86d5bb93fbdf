import type { CoverageSummary } from "../../contract/coverage.ts";
import type { Extent } from "../../files/stored-bytes.ts";

/** The state of a walk after a page. Plain JSON, so that another process can continue from it. */
export interface WalkPlace {
  /** Rows of the page. */
  rows: number;
  /** SHA-256 of the page's rows as NDJSON, shortened to 128 bits. */
  digest: string;
  /** Cursor of the next page; null after the last one. */
  cursor: string | null;
  facts: SetFacts;
}

/** What a page reports about the whole set. */
export interface SetFacts {
  /** Null if the service does not report it; the rows are then compared with the coverage only. */
  total: number | null;
  /** Excludes the rows outside the filters, whose number may change at any time. */
  coverage: Omit<CoverageSummary, "corpus_rows">;
}

/** A page that is in a store. */
export interface StoredPage {
  place: WalkPlace;
  /** Where its rows lie, as NDJSON. */
  extent: Extent;
}
