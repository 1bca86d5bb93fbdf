import { firstFew, plural, quoted } from "../../contract/values/phrases.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type Parameters, readRows } from "../../folder/ask/ask.ts";
import type { Reporter } from "../reporter.ts";
import type { ListedProduct } from "../source/product-list.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";

/** A list as the SQL parameter `own_list`; cells that a line leaves out are empty strings. */
export function ownListParameter(list: readonly ListedProduct[]): Parameters["own_list"] {
  return list.map(({ line, retailer = "", sku, quantity, targetPrice = "", note = "" }) => ({
    ...{ line: String(line), own_retailer: retailer, own_sku: sku, quantity, target_price: targetPrice, note },
  }));
}

/** Maximum number of lines that a warning names. */
const NAMED = 5;

/** Warns of the products on a list for which the folder has no rows. */
export async function warnOfUnknown(
  list: readonly ListedProduct[],
  prices: DuckDb,
  { reporter }: SyncedFolder,
): Promise<void> {
  const found = await readRows(prices, "SELECT DISTINCT line FROM own_product($own_list)", {
    own_list: ownListParameter(list),
  });
  const lines = new Set(found.map(([line]) => line));
  warnOfMissing(
    list.filter(({ line }) => !lines.has(line)),
    reporter,
  );
}

/** Names lines of a list that match no row. */
export function warnOfMissing(lines: readonly ListedProduct[], { warn }: Pick<Reporter, "warn">): void {
  if (lines.length > 0) {
    const names = lines.map(({ sku, retailer }) => `${quoted(sku)}${retailer === undefined ? "" : ` of ${retailer}`}`);
    warn(`no row for ${plural(lines.length, "product")} on the list: ${firstFew(names, NAMED)}`);
  }
}
