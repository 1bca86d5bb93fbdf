import type { RowSink } from "../pull/pull.ts";

/** The source of rows for a comparison of two crawl days. Filters apply to all counts and rows. */
export interface DiffSource {
  /** Maximum of retailers in one call of `read`. */
  retailersAtOnce: number;
  /** Rows of each retailer on a day; one without rows may be absent. */
  countRows(day: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Passes the rows of a day to the sink, each with at least the members that a comparison needs.
   *
   * @param retailers only the rows of these, at most `retailersAtOnce`; undefined for all
   * @param onRows called with the number of rows so far
   * @returns the number of rows
   */
  read(
    day: string,
    retailers: readonly string[] | undefined,
    sink: RowSink,
    onRows: (rows: number) => void,
  ): Promise<number>;
}
