import { crc32 } from "node:zlib";
import type { Product } from "../../../contract/product.ts";
import type { Columns, Session } from "../database/database-session.ts";
import type { Dialect } from "../database/dialect.ts";
import { compactDay } from "./row-counts.ts";
import { blobOf } from "./row-texts.ts";
import { beginNextVersion, removeFromVersion } from "./versions.ts";

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

const STAGED: Columns = {
  product_id: "TEXT",
  line: "BIGINT",
  sku: "TEXT",
  retailer: "TEXT",
  department: "TEXT",
  category: "TEXT",
  day: "INTEGER",
  body: "BLOB",
  sum: "BIGINT",
};

/** The rows to add, and the ids of rows that make room. The tables belong to the connection; each load empties them. */
const STAGE = `
  CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER PRIMARY KEY);
  DELETE FROM gone;
  CREATE TEMP TABLE IF NOT EXISTS staged_row (
    ${Object.entries(STAGED)
      .map(([name, type]) => `${name} ${type} NOT NULL`)
      .join(", ")}, UNIQUE (product_id)
  );
  DELETE FROM staged_row;
`;

/** The join begins with the staged rows, so that the cost does not depend on the stored ones. */
const conflicts = ({ join, body }: Dialect) => `
  SELECT line, staged_row.body, ${body} FROM staged_row ${join} product USING (product_id)
  WHERE line > ? AND removed IS NULL AND staged_row.body <> ${body}
    AND NOT EXISTS (SELECT 1 FROM gone WHERE gone.id = product.id)
  ORDER BY line LIMIT 100`;

const replaced = ({ join, body }: Dialect) => `
  INSERT INTO gone SELECT id FROM staged_row ${join} product USING (product_id)
  WHERE removed IS NULL AND staged_row.body <> ${body}`;

/** A row that stays as it is is not replaced. */
const replacedSlice = ({ body }: Dialect) => `
  INSERT INTO gone SELECT id FROM product
  WHERE combination IN (SELECT id FROM combination WHERE retailer = ?) AND day = ? AND removed IS NULL AND NOT EXISTS (
    SELECT 1 FROM staged_row
    WHERE staged_row.product_id = product.product_id AND staged_row.body = ${body}
  )`;

const DROP_PRESENT = `
  DELETE FROM staged_row WHERE EXISTS (
    SELECT 1 FROM product
    WHERE product.product_id = staged_row.product_id AND removed IS NULL
      AND NOT EXISTS (SELECT 1 FROM gone WHERE gone.id = product.id)
  )`;

/** Ids follow the row order of the service, so that the rows of a page are stored next to each other. */
const ADD = `
  INSERT INTO combination (retailer, department, category)
  SELECT DISTINCT retailer, department, category FROM staged_row WHERE true ON CONFLICT DO NOTHING;
  INSERT INTO product (product_id, sku, retailer, combination, day, body, sum, added)
  SELECT product_id, sku, retailer, combination.id, day, body, sum, version
  FROM staged_row JOIN combination USING (retailer, department, category), data_version
  ORDER BY sku, retailer, day, product_id;
  INSERT INTO row_count
  SELECT combination.id, day, version, count(*)
  FROM staged_row JOIN combination USING (retailer, department, category), data_version
  GROUP BY combination.id, day, version
  ON CONFLICT (combination, day, version) DO UPDATE SET rows = row_count.rows + excluded.rows`;

/** Rows that are collected, then added together. */
export async function createRowStage(session: Session, onConflict: OnConflict, replacement?: Replacement) {
  const { dialect } = session;
  const { rowText } = dialect;
  await session.script(`${dialect.load.begin}; ${dialect.tables(STAGE)}`);

  async function refuseConflicts(): Promise<void> {
    let found = await session.query(conflicts(dialect), [-1]);
    while (found.length > 0) {
      for (const [line, body, presentBody] of found) {
        onConflict(Number(line), blobOf(body).toString(), blobOf(presentBody).toString(), true);
      }
      found = await session.query(conflicts(dialect), [found.at(-1)?.[0] ?? null]);
    }
  }

  return {
    /** Stages rows in a temporary file. Of several rows with the same `product_id`, it stages the first. */
    add: async (rows: readonly NewRow[]): Promise<void> => {
      const values = rows.map(({ line, product, body }) => {
        const { product_id, sku, retailer, department, category, crawl_date } = product;
        const bytes = Buffer.from(body);
        const place = [retailer, department, category, compactDay(crawl_date)];
        return [rowText(product_id), line, rowText(sku), ...place, bytes, crc32(bytes)];
      });
      for (const position of await session.insertNew("staged_row", STAGED, values)) {
        const [id = null] = values[position] ?? [];
        const [[staged] = []] = await session.query("SELECT body FROM staged_row WHERE product_id = ?", [id]);
        const { line = 0, body = "" } = rows[position] ?? {};
        onConflict(line, body, blobOf(staged).toString(), false);
      }
    },
    /** Adds the staged rows as the next version of the data, in the caller's transaction. @returns numbers of rows */
    merge: async (): Promise<{ added: number; removed: number }> => {
      await session.script(dialect.load.merge);
      if (replacement === "same-ids") {
        await session.query(replaced(dialect));
      } else if (replacement !== undefined) {
        await session.query(replacedSlice(dialect), [replacement.retailer, compactDay(replacement.day)]);
      }
      await refuseConflicts();
      await session.script(DROP_PRESENT);
      const [[added, removed] = []] = await session.query(
        "SELECT (SELECT count(*) FROM staged_row), (SELECT count(*) FROM gone)",
      );
      if (added !== 0 || removed !== 0) {
        await beginNextVersion(session);
        await removeFromVersion(session, "id IN (SELECT id FROM gone)");
        await session.script(ADD);
      }
      await session.script("DELETE FROM staged_row");
      return { added: Number(added), removed: Number(removed) };
    },
    /** Lets the engine prepare for reading the rows, after they were committed. They are there also if this fails. */
    end: async (): Promise<void> => {
      await session.script(dialect.load.end).catch(() => undefined);
    },
  };
}
