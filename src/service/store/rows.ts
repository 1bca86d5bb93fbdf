import { randomInt } from "node:crypto";
import type { Product } from "../../contract/product.ts";
import { rebuildColumnIndex } from "./column-index.ts";
import type { Session } from "./connection.ts";
import { dayNumber } from "./selection.ts";
import { StaleSnapshotError } from "./store.ts";

/**
 * JSON text of the rows with these ids, in their order. One aggregate is asked for, which the database
 * computes off the event loop; the texts hold no line breaks, so that one can part them.
 */
export async function readRows(session: Session, ids: Uint32Array): Promise<string[]> {
  if (ids.length === 0) {
    return [];
  }
  const [[texts] = []] = await session.query(
    `SELECT group_concat(body, char(10) ORDER BY wanted.key)
     FROM json_each(?) AS wanted CROSS JOIN product ON product.id = wanted.value`,
    [`[${ids.join(",")}]`],
  );
  const rows = typeof texts === "string" ? texts.split("\n") : [];
  if (rows.length !== ids.length) {
    throw new StaleSnapshotError("the data changed while its rows were read");
  }
  return rows;
}

/** Adds rows within one transaction. */
export interface RowWriter {
  /**
   * @param body the row's JSON text, in the contract's order of columns and on one line
   * @returns the body that the database already holds under this product_id, else undefined
   */
  add(product: Product, body: string): Promise<string | undefined>;
  /** Makes the added rows part of the next version of the data. */
  finish(): Promise<void>;
}

export async function createRowWriter(session: Session): Promise<RowWriter> {
  // The unique index is written in random order: in memory it is updated without reading pages back.
  await session.script("PRAGMA cache_size = -131072");
  const insert = await session.prepare("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  const combinationIds = new Map<string, number>();
  // Ids of a database start anywhere, so that ids read from another one that stood in the same place
  // do not name rows of this one.
  const [[highest] = []] = await session.query("SELECT max(id) FROM product");
  let nextId = highest === null ? randomInt(1, 2 ** 31) : Number(highest) + 1;
  let added = 0;

  async function combinationId({ retailer, department, category }: Product): Promise<number> {
    const key = `${retailer}:${category}:${department}`;
    const known = combinationIds.get(key);
    if (known !== undefined) {
      return known;
    }
    const [[id] = []] = await session.query(
      `INSERT INTO combination (retailer, department, category) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET retailer = excluded.retailer RETURNING id`,
      [retailer, department, category],
    );
    combinationIds.set(key, Number(id));
    return Number(id);
  }

  return {
    add: async (product, body) => {
      const { product_id, sku, crawl_date } = product;
      const combination = await combinationId(product);
      if (insert([nextId, product_id, sku, combination, dayNumber(crawl_date), body]) === 1) {
        nextId += 1;
        added += 1;
        return undefined;
      }
      const [[present] = []] = await session.query("SELECT body FROM product WHERE product_id = ?", [product_id]);
      return String(present);
    },
    finish: async () => {
      if (added > 0) {
        await rebuildColumnIndex(session);
      }
    },
  };
}
