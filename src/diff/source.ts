import type { RowSink } from "../pull/pull.ts";

/** The source of rows for a comparison of two crawl days. Filters apply to all counts and rows. */
export interface DiffSource {
  /** How many retailers one reading can be limited to. */
  retailersAtOnce: number;
  /** Rows of each retailer on a day; one without rows may be absent. */
  countRows(day: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Hands the rows of a day on, each with at least the members that a comparison keeps.
   *
   * @param retailers only the rows of these, at most `retailersAtOnce`; undefined for all
   * @param onRows told the rows handed on so far
   * @returns the rows handed on
   */
  read(
    day: string,
    retailers: readonly string[] | undefined,
    sink: RowSink,
    onRows: (rows: number) => void,
  ): Promise<number>;
}
