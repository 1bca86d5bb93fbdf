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

/** A row to be added, and the text that is served: in the contract's order of columns, on one line. */
export interface NewRow {
  product: Product;
  body: string;
}

/** Adds rows within one transaction. */
export interface RowWriter {
  /**
   * Adds the rows whose product_id is new.
   *
   * @returns for each of the others its position in `rows` and the body that is present under its product_id
   */
  add(rows: readonly NewRow[]): Promise<Map<number, string>>;
  /** Makes the added rows part of the next version of the data. */
  finish(): Promise<void>;
}

export async function createRowWriter(session: Session): Promise<RowWriter> {
  // The unique index is written in random order: in memory it is updated without reading pages back.
  await session.script("PRAGMA cache_size = -131072");
  const insert = await session.prepare("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  const combinations = new Map<string, number>();
  // Ids of a database start anywhere, so that ids read from another one that stood in the same place
  // do not name rows of this one.
  const [[highest] = []] = await session.query("SELECT max(id) FROM product");
  const firstId = highest === null ? randomInt(1, 2 ** 31) : Number(highest) + 1;
  let nextId = firstId;

  async function learnCombinations(rows: readonly NewRow[]): Promise<void> {
    for (const { product } of rows) {
      const key = combinationKey(product);
      if (!combinations.has(key)) {
        combinations.set(key, await combinationId(session, product));
      }
    }
  }

  return {
    add: async (rows) => {
      await learnCombinations(rows);
      const present = new Map<number, string>();
      for (const [position, { product, body }] of rows.entries()) {
        const combination = combinations.get(combinationKey(product)) ?? null;
        const { product_id, sku, crawl_date } = product;
        if (insert([nextId, product_id, sku, combination, dayNumber(crawl_date), body]) === 1) {
          nextId += 1;
        } else {
          present.set(position, await presentBody(session, product_id));
        }
      }
      return present;
    },
    finish: async () => {
      if (nextId > firstId) {
        await rebuildColumnIndex(session);
      }
    },
  };
}

function combinationKey({ retailer, category, department }: Product): string {
  return `${retailer}:${category}:${department}`;
}

async function combinationId(session: Session, { retailer, department, category }: Product): Promise<number> {
  const [[id] = []] = await session.query(
    `INSERT INTO combination (retailer, department, category) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET retailer = excluded.retailer RETURNING id`,
    [retailer, department, category],
  );
  return Number(id);
}

async function presentBody(session: Session, productId: string): Promise<string> {
  const [[body] = []] = await session.query("SELECT body FROM product WHERE product_id = ?", [productId]);
  return String(body);
}
