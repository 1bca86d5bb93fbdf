import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Product } from "../../../contract/product.ts";
import type { Session } from "../database/database-connection.ts";
import { writeNextVersion } from "./column-index.ts";
import { listGoneRows } from "./remove-rows.ts";
import { blobOf } from "./row-texts.ts";
import { compactDay } from "./selection.ts";

/** A row to add, and its JSON text as it will be served: columns in the contract's order, on one line. */
export interface NewRow {
  /** Its line in the source. */
  line: number;
  product: Product;
  body: string;
}

/**
 * Called with a row whose `product_id` exists with another text: in the database, or else in an earlier row of the
 * source. Throws if the row must be refused.
 */
type OnConflict = (line: number, body: string, presentBody: string, isStored: boolean) => void;

/** Which rows make room for the staged ones: those with the same `product_id`, or all of a retailer and a day. */
export type Replacement = "same-ids" | { retailer: string; day: string };

/** The table belongs to the connection. It is emptied before each load. */
const STAGE = `
  CREATE TEMP TABLE IF NOT EXISTS staged_row (
    line INTEGER NOT NULL,
    product_id TEXT NOT NULL UNIQUE,
    sku TEXT NOT NULL,
    retailer TEXT NOT NULL,
    department TEXT NOT NULL,
    category TEXT NOT NULL,
    day INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
  );
  DELETE FROM staged_row;
  PRAGMA temp.cache_size = -16384;
`;

const CONFLICTS = `
  SELECT line, staged_row.body, CAST(product.body AS BLOB) FROM staged_row JOIN product USING (product_id)
  WHERE line > ? AND staged_row.body <> CAST(product.body AS BLOB) AND id NOT IN (SELECT id FROM gone)
  ORDER BY line LIMIT 100`;

const REPLACED = `
  SELECT id FROM product JOIN staged_row USING (product_id) WHERE staged_row.body <> CAST(product.body AS BLOB)`;

/** A row that stays as it is is not replaced. */
const REPLACED_SLICE = `
  SELECT id FROM product
  WHERE combination IN (SELECT id FROM combination WHERE retailer = ?) AND day = ? AND NOT EXISTS (
    SELECT 1 FROM staged_row
    WHERE staged_row.product_id = product.product_id AND staged_row.body = CAST(product.body AS BLOB)
  )`;

/** Ids follow the row order of the service, so that the rows of a page are stored next to each other. */
const ADD = `
  INSERT INTO product (id, product_id, sku, combination, day, body, sum)
  SELECT ? + row_number() OVER (ORDER BY sku, retailer, day, product_id), product_id, sku, combination.id, day, body, sum
  FROM staged_row JOIN combination USING (retailer, department, category)`;

/** Rows that are collected, then added together. */
export async function createRowStage(session: Session, onConflict: OnConflict, replacement?: Replacement) {
  await session.script(STAGE);
  const gone = await listGoneRows(session);
  const insert = await session.prepare(
    "INSERT INTO staged_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );

  async function refuseConflicts(): Promise<void> {
    let conflicts = await session.query(CONFLICTS, [-1]);
    while (conflicts.length > 0) {
      for (const [line, body, presentBody] of conflicts) {
        onConflict(Number(line), blobOf(body).toString(), blobOf(presentBody).toString(), true);
      }
      conflicts = await session.query(CONFLICTS, [conflicts.at(-1)?.[0] ?? null]);
    }
  }

  return {
    /** Stages rows in a temporary file. Of several rows with the same `product_id`, it stages the first. */
    add: async (rows: readonly NewRow[]): Promise<void> => {
      for (const { line, product, body } of rows) {
        const { product_id, sku, retailer, department, category, crawl_date } = product;
        const bytes = Buffer.from(body);
        const place = [retailer, department, category, compactDay(crawl_date)];
        if (insert([line, product_id, sku, ...place, bytes, crc32(bytes)]) === 0) {
          const [[staged] = []] = await session.query("SELECT body FROM staged_row WHERE product_id = ?", [product_id]);
          onConflict(line, body, blobOf(staged).toString(), false);
        }
      }
    },
    /** Adds the staged rows as the next version of the data, in the caller's transaction. @returns numbers of rows */
    merge: async (): Promise<{ added: number; removed: number }> => {
      // The unique index is written in random order. A larger cache saves reads.
      await session.script("PRAGMA cache_size = -65536");
      if (replacement === "same-ids") {
        await gone.add(REPLACED);
      } else if (replacement !== undefined) {
        await gone.add(REPLACED_SLICE, [replacement.retailer, compactDay(replacement.day)]);
      }
      await refuseConflicts();
      await session.script(`
        DELETE FROM staged_row
        WHERE product_id IN (SELECT product_id FROM product WHERE id NOT IN (SELECT id FROM gone));
        INSERT INTO combination (retailer, department, category)
        SELECT DISTINCT retailer, department, category FROM staged_row WHERE true ON CONFLICT DO NOTHING`);
      const [[added, highest] = []] = await session.query(
        "SELECT (SELECT count(*) FROM staged_row), (SELECT max(last_id) FROM row_version)",
      );
      const removed = await gone.count();
      if (added !== 0 || removed !== 0) {
        await writeNextVersion(session, async () => {
          await gone.remove();
          // Ids start at a random number, so that ids from another database at the same path match no rows of this one.
          await session.query(ADD, [Number(highest) || randomInt(1, 2 ** 31)]);
        });
      }
      await session.script("DELETE FROM staged_row");
      return { added: Number(added), removed };
    },
  };
}
