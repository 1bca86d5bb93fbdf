import { FileError } from "../../contract/errors.ts";
import { firstFew, plural, quoted } from "../../contract/values/phrases.ts";
import { contentFlaw } from "../../files/content-error.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { readRows } from "../../folder/ask/ask.ts";
import type { Reporter } from "../reporter.ts";
import { type ListedProduct, nameOfList, repeatedError } from "../source/product-list.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";

/** A list as the SQL parameter `own_list`; cells that a line leaves out are empty strings. */
export function ownListParameter(list: readonly ListedProduct[]): string {
  const lines = list.map(({ line, retailer = "", sku, quantity, targetPrice = "", note = "" }) => {
    const own = { line: String(line), own_retailer: retailer, own_sku: sku };
    return { ...own, quantity, target_price: targetPrice, note };
  });
  return JSON.stringify(lines);
}

/**
 * Warns of the products on a list for which the folder has no rows.
 *
 * @param file of the list
 * @throws FileError if two lines mean one product. DuckDB and JavaScript fold the case of some letters differently, so the
 * reader of the list cannot catch them all.
 */
export async function checkOwnList(
  list: readonly ListedProduct[],
  file: string,
  prices: DuckDb,
  { reporter }: SyncedFolder,
): Promise<void> {
  const sql = "SELECT product, line FROM own_product($own_list) ORDER BY line";
  const found = await readRows(prices, sql, { own_list: ownListParameter(list) });
  const byLine = new Map(list.map((listed) => [listed.line, listed]));
  const byProduct = new Map<unknown, ListedProduct>();
  for (const [product, line] of found) {
    const [listed, earlierLine] = [byLine.get(Number(line)), byProduct.get(product)];
    if (listed !== undefined && earlierLine !== undefined) {
      const name = nameOfList(file);
      const repeated = repeatedError(listed, earlierLine);
      throw new FileError(contentFlaw(name, repeated) ?? repeated.message, name, repeated);
    }
    if (listed !== undefined) {
      byProduct.set(product, listed);
    }
  }
  const lines = new Set(found.map(([, line]) => Number(line)));
  warnOfMissing(
    list.filter(({ line }) => !lines.has(line)),
    reporter,
  );
}

export function warnOfMissing(lines: readonly ListedProduct[], { warn }: Pick<Reporter, "warn">): void {
  if (lines.length > 0) {
    const names = lines.map(({ sku, retailer }) => `${quoted(sku)}${retailer === undefined ? "" : ` of ${retailer}`}`);
    warn(`no row for ${plural(lines.length, "product")} on the list: ${firstFew(names, 5)}`);
  }
}
