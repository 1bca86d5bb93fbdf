import { resolve } from "node:path";
import { PRODUCT_COLUMNS, type Product, type ProductColumn } from "../../contract/product.ts";
import { sameNumber } from "../../contract/values/decimal.ts";
import { partitionValuesOf } from "../../contract/values/hive-path.ts";
import { rawMembers } from "../../contract/values/raw-json.ts";
import { ContentError, RowError, shown } from "../../files/content-error.ts";
import { createRowStage, type NewRow, type Replacement } from "../store/product-rows/row-stage.ts";
import { publishVersion } from "../store/product-rows/versions.ts";
import type { Store } from "../store/store.ts";
import { type LoadSource, sourceRows } from "./load-source.ts";
import { readRow } from "./row.ts";
import { isNumberColumn } from "./table-rows.ts";

export interface LoadResult {
  /** Rows that were not yet in the database. */
  added: number;
  /** Rows already in the database or earlier in the same source. */
  alreadyPresent: number;
  /** Stored rows that were replaced or are missing in a replaced day. */
  removed: number;
  /** The currency codes that ISO 4217 lacks. Rows with them are loaded as they were crawled. */
  unknownCurrencies: string[];
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export interface LoadOptions {
  /** Default: rows are only added. */
  replacement?: Replacement | undefined;
  /** Called regularly with the rows read so far. */
  onProgress?: (progress: { rows: number }) => void;
  signal?: AbortSignal;
}

/**
 * Loads all rows of a source, or none. They are first staged in temporary tables, so that other writers wait only while they are
 * added. A row that is already there is skipped. It is an error if an earlier row of the source has the same `product_id` and other
 * values, and also if a stored row has, unless it is replaced.
 * @throws ContentError, StoreUnavailableError, the reason of `signal`, or the error of an unreadable or damaged file
 */
export async function loadRows(
  database: Store,
  source: LoadSource,
  { onProgress, signal = new AbortController().signal, replacement }: LoadOptions = {},
): Promise<LoadResult> {
  const partition = "path" in source ? partitionValuesOf(resolve(source.path)) : new Map<string, string>();
  try {
    return await database.prepareWrite(async (session) => {
      const stage = await createRowStage(
        session,
        (line, body, presentBody, isStored) =>
          refuseOtherContent(line, body, presentBody, isStored && replacement === undefined),
        replacement,
      );
      let read = 0;
      const unknown = new Set<string>();
      await session.transaction("stage", async () => {
        for await (const rows of sourceRows(source, partition, signal)) {
          const checked = rows.map((row) => readRow(row, partition));
          for (const row of checked) {
            requireReplaced(row, replacement);
            if (!CURRENCIES.has(row.product.currency)) {
              unknown.add(row.product.currency);
            }
          }
          await stage.add(checked);
          read += rows.length;
          signal.throwIfAborted();
          onProgress?.({ rows: read });
        }
      });
      if (read === 0 && typeof replacement === "object") {
        throw new ContentError("has no rows to replace the others");
      }
      const { added, removed } = await session.transaction("rows", stage.merge);
      await publishVersion(session);
      await stage.end();
      return { added, alreadyPresent: read - added, removed, unknownCurrencies: [...unknown] };
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** @throws RowError if a retailer's day is replaced, and the row is not of it */
function requireReplaced({ line, product }: NewRow, replacement: Replacement | undefined): void {
  if (typeof replacement !== "object") {
    return;
  }
  const { retailer, day } = replacement;
  const field = product.retailer !== retailer ? "retailer" : product.crawl_date !== day ? "crawl_date" : undefined;
  if (field !== undefined) {
    const expected = `only rows of ${shown(retailer)} on ${day}, which they replace`;
    throw new RowError({ line, field, found: shown(product[field]), expected });
  }
}

/** @param isReplaceable whether --replace would replace the present row */
function refuseOtherContent(line: number, body: string, presentBody: string, isReplaceable: boolean): void {
  if (body === presentBody) {
    return;
  }
  const [values, present] = [rawMembers(body), rawMembers(presentBody)];
  const field = PRODUCT_COLUMNS.find((column) => !isSame(column, values.get(column) ?? "", present.get(column) ?? ""));
  if (field !== undefined) {
    const found = shown(values.get(field) ?? "");
    const { product_id } = JSON.parse(body) as Product;
    const expected = `${shown(present.get(field) ?? "")} as in the row with the same product_id ${shown(product_id)}${isReplaceable ? " (--replace replaces that row)" : ""}`;
    throw new RowError({ line, field, found, expected });
  }
}

/** Whether two JSON texts are the same value, however it is spelt. Numbers are compared with all their digits. */
function isSame(column: ProductColumn, text: string, other: string): boolean {
  return isNumberColumn(column) ? sameNumber(text, other) : text === other || JSON.parse(text) === JSON.parse(other);
}
