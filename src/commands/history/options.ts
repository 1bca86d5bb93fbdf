import type { ListOptions } from "../../cli/flags/list.ts";
import type { ListFormat, OutputOptions } from "../../cli/flags/output.ts";
import type { FolderOptions } from "../../cli/source/synced-folder.ts";

export interface HistoryOptions extends FolderOptions {
  /** Skus of the products, at every retailer that has them; empty with `search`. */
  skus: readonly string[];
  /** Words in the title, brand, model number or sku. */
  search: readonly string[];
  list: ListOptions;
  /** The file of the HTML page, if one is written. */
  html: string | undefined;
  output: OutputOptions<ListFormat>;
}
