import {
  DummyDriver,
  type Generated,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";

/** The columns of each table, as SQLite declares them. `Dialect.tables` has the other engine's words. */
const COLUMNS = {
  combination: {
    id: "INTEGER PRIMARY KEY",
    retailer: "TEXT NOT NULL",
    department: "TEXT NOT NULL",
    category: "TEXT NOT NULL",
  },
  product: {
    // Never used again, so that no walk takes one row for another.
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    product_id: "TEXT NOT NULL",
    sku: "TEXT NOT NULL",
    retailer: "TEXT NOT NULL",
    combination: "BIGINT NOT NULL REFERENCES combination",
    day: "INTEGER NOT NULL",
    body: "BLOB NOT NULL",
    sum: "BIGINT NOT NULL",
    // The first version with the row, and the first one without it.
    added: "BIGINT NOT NULL",
    removed: "BIGINT",
  },
  /** What each version added to the number of rows of a combination and day, negative for removed rows. */
  row_count: {
    combination: "BIGINT NOT NULL REFERENCES combination",
    day: "INTEGER NOT NULL",
    version: "BIGINT NOT NULL",
    rows: "INTEGER NOT NULL",
  },
  /** The versions whose rows are all stored. */
  row_version: { version: "INTEGER PRIMARY KEY" },
  data_version: { version: "INTEGER NOT NULL" },
  secret: { cursor: "BLOB NOT NULL" },
  /** The lists of scopes and retailers are JSON. */
  team: { name: "TEXT PRIMARY KEY", scopes: "TEXT NOT NULL", retailers: "TEXT", created_at: "TEXT NOT NULL" },
  api_key: {
    id: "INTEGER PRIMARY KEY",
    team: "TEXT NOT NULL REFERENCES team",
    name: "TEXT NOT NULL",
    hash: "TEXT NOT NULL UNIQUE",
    created_at: "TEXT NOT NULL",
    last_used_at: "TEXT",
    revoked_at: "TEXT",
  },
  member: { email: "TEXT PRIMARY KEY", team: "TEXT NOT NULL REFERENCES team", added_at: "TEXT NOT NULL" },
  /** The secrets of sign-ins and sessions are stored as hashes. */
  sign_in: {
    hash: "TEXT PRIMARY KEY",
    email: "TEXT NOT NULL",
    code_hash: "TEXT NOT NULL",
    tries: "INTEGER NOT NULL",
    expires_at: "TEXT NOT NULL",
  },
  portal_session: {
    hash: "TEXT PRIMARY KEY",
    email: "TEXT NOT NULL",
    created_at: "TEXT NOT NULL",
    seen_at: "TEXT NOT NULL",
  },
  day_count: {
    date: "TEXT NOT NULL",
    operation: "TEXT NOT NULL",
    requests: "INTEGER NOT NULL",
    failures: "INTEGER NOT NULL",
  },
  incident: {
    id: "INTEGER PRIMARY KEY",
    title: "TEXT NOT NULL",
    suite: "TEXT NOT NULL",
    severity: "TEXT NOT NULL",
    started_at: "TEXT NOT NULL",
    resolved_at: "TEXT",
  },
  incident_update: {
    id: "INTEGER PRIMARY KEY",
    incident: "INTEGER NOT NULL REFERENCES incident",
    state: "TEXT NOT NULL",
    body: "TEXT NOT NULL",
    posted_at: "TEXT NOT NULL",
  },
  /** The rows are written for each request, which need not wait for the disk: a loss of power may lose the last second. */
  request_window: {
    key: "TEXT PRIMARY KEY",
    started_at: "BIGINT NOT NULL",
    ends_at: "BIGINT NOT NULL",
    used: "BIGINT NOT NULL",
  },
} as const;

const CONSTRAINTS: Readonly<Record<string, string>> = {
  combination: ", UNIQUE (retailer, department, category)",
  row_count: ", PRIMARY KEY (combination, day, version)",
  api_key: ", UNIQUE (team, name)",
  day_count: ", PRIMARY KEY (date, operation)",
};

/** Each of the last two has all columns that a filter or the row order needs. */
const INDEXES = `
  CREATE UNIQUE INDEX product_present ON product (product_id) WHERE removed IS NULL;
  CREATE INDEX product_removed ON product (removed) WHERE removed IS NOT NULL;
  CREATE INDEX product_order ON product (sku, retailer, day, product_id, combination, added, removed);
  CREATE INDEX product_place ON product (combination, day, sku, retailer, product_id, added, removed);
`;

const { request_window, ...ROWS_AND_RECORDS } = COLUMNS;

/** All tables but that of the windows, which may be elsewhere. */
export const TABLES = Object.entries(ROWS_AND_RECORDS).map(createTable).join("") + INDEXES;
export const WINDOW_TABLE = createTable(["request_window", request_window]);

function createTable([name, columns]: [string, Readonly<Record<string, string>>]): string {
  const constraint = CONSTRAINTS[name] ?? "";
  const declared = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  const storage = constraint.startsWith(", PRIMARY KEY") ? " WITHOUT ROWID" : "";
  return `CREATE TABLE ${name} (${declared.join(", ")}${constraint})${storage};\n`;
}

type Value<Type> = Type extends `TEXT${string}` ? string : Type extends `BLOB${string}` ? Buffer : number;
type Column<Type> = Type extends `INTEGER PRIMARY KEY${string}`
  ? Generated<number>
  : Type extends `${string} NOT NULL${string}` | `${string} PRIMARY KEY`
    ? Value<Type>
    : Value<Type> | null;

/** The rows of each table, as a query reads and writes them. */
export type Tables = {
  [Name in keyof typeof COLUMNS]: {
    [Member in keyof (typeof COLUMNS)[Name]]: Column<(typeof COLUMNS)[Name][Member]>;
  };
};

/** Builds queries, which `Session.run` runs. Both engines understand the words of PostgreSQL in them. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (unused) => new PostgresIntrospector(unused),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
