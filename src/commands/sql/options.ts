import type { OutputOptions } from "../../cli/flags/output.ts";
import type { FolderOptions } from "../../cli/source/synced-folder.ts";
import type { RowFormat } from "../../output/formats/registry.ts";

/** Words that show the tables instead of running a query. */
export const SCHEMA = ".schema";

export type SqlFormat = "table" | RowFormat;

export interface SqlOptions extends FolderOptions {
  /** `-` for standard input. */
  query: string;
  /** Bytes that DuckDB may use. */
  memory: number;
  pager: boolean;
  output: OutputOptions<SqlFormat>;
}
