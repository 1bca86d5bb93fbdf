import type { ListOptions } from "../../cli/flags/list.ts";
import type { OutputOptions } from "../../cli/flags/output.ts";
import type { FolderOptions } from "../../cli/source/synced-folder.ts";
import type { TextFormat } from "../../output/formats/registry.ts";

export const HISTORY_FORMATS = ["table", "csv", "tsv", "json", "ndjson"] as const;

export interface HistoryOptions extends FolderOptions {
  /** Products by sku, each of every retailer that has it; empty where `search` finds them. */
  skus: readonly string[];
  /** Words of the title. */
  search: readonly string[];
  list: ListOptions;
  /** The file of the page that is drawn, where one is. */
  html: string | undefined;
  output: OutputOptions<"table" | TextFormat>;
}
