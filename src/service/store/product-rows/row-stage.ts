import type { Product } from "../../../contract/product.ts";
import { type Columns, onlyRow, type Session } from "../database/database-session.ts";
import type { Dialect } from "../database/dialect.ts";
import { compactDay } from "./row-counts.ts";
import { beginVersion, commitVersion } from "./versions.ts";

/** A row to add, and its JSON text as it will be served: columns in the contract's order, on one line. */
export interface NewRow {
  /** Its line in the source. */
  line: number;
  product: Product;
  body: string;
}

/** Called with a row whose `product_id` is earlier in the source, or in the database with another text. Throws to refuse the row. */
type OnConflict = (line: number, body: string, presentBody: string, isStored: boolean) => void;

/** Which stored rows the staged ones replace: those with the same `product_id`, or all of a retailer and a day. */
export type Replacement = "same-ids" | { retailer: string; day: string };

const columnsOf = ({ types: { sorted, text } }: Dialect): Columns => ({
  product_id: sorted,
  line: "BIGINT",
  sku: sorted,
  retailer: text,
  department: text,
  category: text,
  day: "INTEGER",
  body: text,
});

/** Rows to add, stored rows with the same `product_id`, and rows to replace. A connection keeps the tables; each load empties them. */
const stageOf = (dialect: Dialect) => `
  CREATE TEMP TABLE IF NOT EXISTS staged_row (
    ${Object.entries(columnsOf(dialect))
      .map(([name, type]) => `${name} ${type} NOT NULL`)
      .join(", ")}, UNIQUE (product_id)
  );
  CREATE TEMP TABLE IF NOT EXISTS present (
    id BIGINT NOT NULL, retailer ${dialect.types.text} NOT NULL, product_id ${dialect.types.sorted} NOT NULL,
    line BIGINT NOT NULL, differs BOOLEAN NOT NULL
  );
  CREATE INDEX IF NOT EXISTS present_differing ON present (line, id) WHERE differs;
  CREATE TEMP TABLE IF NOT EXISTS gone (id BIGINT NOT NULL, retailer ${dialect.types.text} NOT NULL);
  DELETE FROM staged_row; DELETE FROM present; DELETE FROM gone;
`;

/** The join begins with the staged rows, so that the cost does not depend on the stored ones. */
const findPresent = ({ join }: Dialect) => `
  INSERT INTO present SELECT id, product.retailer, product_id, line, product.body <> staged_row.body
  FROM staged_row ${join} product USING (product_id) WHERE removed IS NULL`;

/** A stored row with the same text stays. */
const REPLACED = "INSERT INTO gone SELECT id, retailer FROM present WHERE differs";
const REPLACED_DAY = `
  INSERT INTO gone SELECT id, retailer FROM product
  WHERE retailer = ?1 AND combination IN (SELECT id FROM combination WHERE retailer = ?1) AND day = ?2 AND removed IS NULL
    AND id NOT IN (SELECT id FROM present WHERE NOT differs)`;

/** The next conflicts. The line alone does not tell them apart: all rows of a JSON array may be on one. */
const conflictsAfter = ({ join }: Dialect) => `
  SELECT conflict.line AS line, conflict.id AS id, staged_row.body AS body, product.body AS "presentBody"
  FROM (
    SELECT line, id, retailer, product_id FROM present
    WHERE differs AND (line, id) > (?, ?) AND id NOT IN (SELECT id FROM gone) ORDER BY line, id LIMIT 100
  ) AS conflict ${join} staged_row USING (product_id)
    ${join} product ON product.id = conflict.id AND product.retailer = conflict.retailer
  ORDER BY conflict.line, conflict.id`;

const UNSTAGE_PRESENT = `
  DELETE FROM staged_row WHERE product_id IN (SELECT product_id FROM present WHERE id NOT IN (SELECT id FROM gone))`;

const ADD_COMBINATIONS = `
  INSERT INTO combination (retailer, department, category)
  SELECT DISTINCT retailer, department, category FROM staged_row WHERE true ON CONFLICT DO NOTHING`;

/** Ids follow the row order of the service, so that the rows of a page are stored next to each other. */
const ADD_ROWS = `
  INSERT INTO product (product_id, sku, retailer, combination, day, body, added)
  SELECT product_id, sku, retailer, combination.id, day, body, CAST(? AS BIGINT)
  FROM staged_row JOIN combination USING (retailer, department, category)
  ORDER BY sku, retailer, day, product_id`;

/** From this many changed rows on, `Dialect.load.end` runs. For fewer, it would take longer than the load. */
const MANY_ROWS = 10_000;

/** Collects rows in temporary tables, and then adds them in one step. */
export async function createRowStage(session: Session, onConflict: OnConflict, replacement?: Replacement) {
  const { dialect } = session;
  const { sortedValue } = dialect;
  await session.script(`${dialect.load.begin}; ${stageOf(dialect)}`);
  let changes = 0;

  async function refuseConflicts(): Promise<void> {
    type Conflict = { line: number; id: number; body: string; presentBody: string };
    for (let last: Pick<Conflict, "line" | "id"> | undefined = { line: -1, id: 0 }; last !== undefined; ) {
      const found: Conflict[] = await session.query(conflictsAfter(dialect), [last.line, last.id]);
      for (const { line, body, presentBody } of found) {
        onConflict(line, body, presentBody, true);
      }
      last = found.at(-1);
    }
  }

  return {
    /** Stages rows; of several with the same `product_id`, the first. */
    add: async (rows: readonly NewRow[]): Promise<void> => {
      const values = rows.map(({ line, product, body }) => {
        const { product_id, sku, retailer, department, category, crawl_date } = product;
        const place = [retailer, department, category, compactDay(crawl_date)];
        return [sortedValue(product_id), line, sortedValue(sku), ...place, body];
      });
      for (const position of await session.insertNew("staged_row", columnsOf(dialect), values)) {
        const [id = null] = values[position] ?? [];
        const ofId = "SELECT body FROM staged_row WHERE product_id = ?";
        const staged = await onlyRow<{ body: string }>(session, ofId, [id]);
        const { line = 0, body = "" } = rows[position] ?? {};
        onConflict(line, body, staged.body, false);
      }
    },
    /** Adds the staged rows as the next version, in the caller's transaction. @returns numbers of rows */
    merge: async (): Promise<{ added: number; removed: number }> => {
      await session.script(dialect.load.merge);
      await session.query(findPresent(dialect));
      if (replacement === "same-ids") {
        await session.query(REPLACED);
      } else if (replacement !== undefined) {
        await session.query(REPLACED_DAY, [replacement.retailer, compactDay(replacement.day)]);
      }
      await refuseConflicts();
      await session.script(UNSTAGE_PRESENT);
      const { added, removed } = await onlyRow<{ added: number; removed: number }>(
        session,
        "SELECT (SELECT count(*) FROM staged_row) AS added, (SELECT count(*) FROM gone) AS removed",
      );
      changes = added + removed;
      if (changes > 0) {
        const version = await beginVersion(session);
        const isGone = "(id, retailer) IN (SELECT id, retailer FROM gone)";
        await session.query(`UPDATE product SET removed = ? WHERE ${isGone}`, [version]);
        await session.query(ADD_COMBINATIONS);
        await session.query(ADD_ROWS, [version]);
        await commitVersion(session, version, added, removed);
      }
      await session.script("DELETE FROM staged_row; DELETE FROM present; DELETE FROM gone");
      return { added, removed };
    },
    /** Lets the engine vacuum after many rows were committed. They stay committed if this fails. */
    end: async (): Promise<void> => {
      if (changes >= MANY_ROWS) {
        await session.script(dialect.load.end).catch(() => undefined);
      }
    },
  };
}
