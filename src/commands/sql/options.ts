import type { OutputOptions, TableFormat } from "../../cli/flags/output.ts";
import type { FolderOptions } from "../../cli/flags/source.ts";
import type { NamedFile } from "../../folder/sql/user-table.ts";

export interface SqlOptions extends FolderOptions {
  /** SQL, or `-` for standard input; undefined: list the tables and example queries. */
  query: string | undefined;
  /** CSV files that are tables, too. */
  tables: readonly NamedFile[];
  /** Bytes that DuckDB may use; undefined for the default. */
  memory: number | undefined;
  pager: boolean;
  output: OutputOptions<TableFormat>;
}
