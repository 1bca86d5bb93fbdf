import postgresTables from "./schema/postgres.sql";
import postgresFrom8 from "./schema/postgres-from-8.sql";
import sqliteTables from "./schema/sqlite.sql";
import sqliteFrom2 from "./schema/sqlite-from-2.sql";
import sqliteFrom8 from "./schema/sqlite-from-8.sql";

export type SqlValue = string | number | Buffer | null;

/** What a query for a page returns: in PostgreSQL each text, in SQLite one row with all texts (null without any) and their number. */
export interface PageRow {
  body: string | ArrayBuffer | null;
  count?: number;
}

/** The SQL in which the engines differ, as SQLite has it. All other statements are the same for both. */
export const SQLITE = {
  /** Creates the tables. Those of records may be there already. */
  tables: sqliteTables,
  /** The first statements of the migration from an earlier version of the tables. Release 0.1.0 has version 2. */
  migrations: { 2: sqliteFrom2, 8: sqliteFrom8 } as Readonly<Record<number, string>>,
  /** Runs before the first table is created. Larger pages waste less space with rows of about 500 bytes. */
  newDatabase: "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL",
  /** The number of tables, and `own`: 0 if they are not those of this service. */
  presence: `
    SELECT (SELECT count(*) FROM sqlite_schema) AS tables, application_id = ${0x52_43_61_74} AS own
    FROM pragma_application_id`,
  /** The version of the tables. */
  version: "SELECT user_version AS version FROM pragma_user_version",
  /** A JSON object with the values of these columns. */
  jsonObject: (columns: readonly string[]) => `json_object(${pairs(columns)})`,
  /** Whether a column has one of the values in the list that is this parameter. */
  isListed: (column: string, parameter: number, _type: "BIGINT" | "TEXT") =>
    `${column} IN (SELECT value FROM json_each(?${parameter}))`,
  /** A table function with the `key` and the `value` of each member of a JSON object. */
  jsonEach: "json_each",
  /** A join of a small table with a large one that begins with the small one. */
  join: "CROSS JOIN",
  /**
   * Reads the texts of a page. With `sortedOf`, the condition on the retailers, it finds the matching rows by combination and day and
   * sorts them, which suits few rows; without it, it walks the index of the row order.
   */
  page: (matches: string, order: string, limit: string, sortedOf?: string) =>
    sortedOf !== undefined
      ? `SELECT CAST(group_concat(body, char(10)) AS BLOB) AS body, count(*) AS count FROM (
           SELECT id FROM product INDEXED BY product_place WHERE ${matches} ORDER BY ${order} ${limit}
         ) AS found CROSS JOIN product USING (id)`
      : `SELECT CAST(group_concat(body, char(10)) AS BLOB) AS body, count(*) AS count FROM (
           SELECT body FROM product INDEXED BY product_order WHERE ${matches} ORDER BY ${order} ${limit}
         ) AS page`,
  /** The texts that `page` read, with line breaks between them, and their number. SQLite joins them outside the event loop. */
  textsOf: ([page]: PageRow[]): { bytes: Buffer; count: number } => {
    const { body, count = 0 } = page ?? {};
    return { bytes: body instanceof ArrayBuffer ? Buffer.from(body) : Buffer.alloc(0), count };
  },
  /** The types of columns: of a sku and a product_id, and of other texts. */
  types: { sorted: "TEXT", text: "TEXT" },
  /** How a sku or a product_id is stored and compared. */
  sortedValue: (text: string): string | Buffer => text,
  /**
   * Statements to run before rows are staged, before they are added, and after many were committed. A larger cache saves reads of the
   * unique index, which is written in random order.
   */
  load: { begin: "PRAGMA temp.cache_size = -16384", merge: "PRAGMA cache_size = -65536", end: "" },
  /** Goes into a `FROM` list, so that the commit does not wait for the disk. In SQLite, a setting does this (`sqlite-database.ts`). */
  unsynced: "",
  /** Goes at the end of a query, so that it skips rows that another transaction has locked. SQLite locks whole files. */
  unlocked: "",
};

export type Dialect = typeof SQLITE;

export const POSTGRES: Dialect = {
  tables: postgresTables,
  migrations: { 8: postgresFrom8 },
  newDatabase: "",
  presence: `
    SELECT count(*) AS tables, count(*) FILTER (WHERE relname = 'catalog_schema') AS own
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'f')`,
  version: "SELECT version FROM catalog_schema",
  jsonObject: (columns) => `json_build_object(${pairs(columns)})`,
  isListed: (column, parameter, type) => `${column} = ANY (CAST(?${parameter} AS ${type}[]))`,
  jsonEach: "json_each_text",
  join: "JOIN",
  // `enable_sort=off` (`postgres-connection.ts`) would also keep this query from sorting. OFFSET 0 leaves it no other way.
  page: (matches, order, limit, sortedOf) =>
    sortedOf !== undefined
      ? `WITH found AS MATERIALIZED (
           SELECT id, retailer, row_number() OVER (ORDER BY ${order}) AS place
           FROM (SELECT * FROM product WHERE ${matches} OFFSET 0) AS matching ORDER BY place ${limit}
         )
         SELECT body FROM found JOIN product USING (id, retailer) WHERE ${sortedOf} ORDER BY place`
      : `SELECT body FROM product WHERE ${matches} ORDER BY ${order} ${limit}`,
  // Joining the texts would take the server half as long again as reading them.
  textsOf: (rows) => ({ bytes: Buffer.from(rows.map(({ body }) => body).join("\n")), count: rows.length }),
  types: { sorted: "BYTEA", text: 'TEXT COLLATE "C"' },
  sortedValue: (text) => Buffer.from(text),
  load: {
    begin: "SET temp_buffers = '64MB'",
    // Without statistics, the engine would plan for a few staged rows.
    merge: "ANALYZE staged_row; SET LOCAL work_mem = '64MB'",
    end: "VACUUM (ANALYZE) product, combination",
  },
  unsynced: ", set_config('synchronous_commit', 'off', true)",
  unlocked: "FOR UPDATE SKIP LOCKED",
};

function pairs(columns: readonly string[]): string {
  return columns.map((column) => `'${column}', "${column}"`).join(", ");
}
