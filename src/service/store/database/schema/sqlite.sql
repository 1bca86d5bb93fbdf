-- The tables of a database in a file. Only records can be there already, from an earlier version.

CREATE TABLE combination (
  id INTEGER PRIMARY KEY,
  retailer TEXT NOT NULL,
  department TEXT NOT NULL,
  category TEXT NOT NULL,
  -- Its rows in the newest version, as a JSON array: a day (YYYYMMDD), its rows, the next day and so on.
  days TEXT NOT NULL DEFAULT '[]',
  UNIQUE (retailer, department, category)
);

CREATE TABLE product (
  id INTEGER PRIMARY KEY,
  product_id TEXT NOT NULL,
  sku TEXT NOT NULL,
  retailer TEXT NOT NULL,
  combination INTEGER NOT NULL,
  day INTEGER NOT NULL,
  -- Its JSON text as it is served.
  body TEXT NOT NULL,
  -- The first version with the row, and the first one without it.
  added INTEGER NOT NULL,
  removed INTEGER
);
CREATE UNIQUE INDEX product_present ON product (product_id, retailer) WHERE removed IS NULL;
CREATE INDEX product_added ON product (added);
CREATE INDEX product_removed ON product (removed) WHERE removed IS NOT NULL;
-- Each has all columns that a filter or the row order needs.
CREATE INDEX product_order ON product (sku, retailer, day, product_id, combination, added, removed);
CREATE INDEX product_place ON product (combination, day, sku, retailer, product_id, added, removed);

-- The newest version, and the newest one that may be read.
CREATE TABLE IF NOT EXISTS data_version (version INTEGER NOT NULL, published INTEGER NOT NULL DEFAULT 0);
INSERT INTO data_version (version) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM data_version);

-- The versions whose rows are all stored, and how many rows each added and removed.
CREATE TABLE row_version (version INTEGER PRIMARY KEY, added INTEGER NOT NULL, removed INTEGER NOT NULL);

CREATE TABLE IF NOT EXISTS secret (cursor BLOB NOT NULL);

-- The lists of scopes and retailers are JSON.
CREATE TABLE IF NOT EXISTS team (
  name TEXT PRIMARY KEY,
  scopes TEXT NOT NULL,
  retailers TEXT,
  created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS api_key (
  id INTEGER PRIMARY KEY,
  team TEXT NOT NULL REFERENCES team,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  revoked_at TEXT,
  UNIQUE (team, name)
);
CREATE TABLE IF NOT EXISTS member (
  email TEXT PRIMARY KEY,
  team TEXT NOT NULL REFERENCES team,
  added_at TEXT NOT NULL
);
-- The secrets of sign-ins and sessions are stored as hashes.
CREATE TABLE IF NOT EXISTS sign_in (
  hash TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  tries INTEGER NOT NULL,
  expires_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS portal_session (
  hash TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  created_at TEXT NOT NULL,
  seen_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS day_count (
  date TEXT NOT NULL,
  operation TEXT NOT NULL,
  requests INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  PRIMARY KEY (date, operation)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS incident (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  suite TEXT NOT NULL,
  severity TEXT NOT NULL,
  started_at TEXT NOT NULL,
  resolved_at TEXT
);
CREATE TABLE IF NOT EXISTS incident_update (
  id INTEGER PRIMARY KEY,
  incident INTEGER NOT NULL REFERENCES incident,
  state TEXT NOT NULL,
  body TEXT NOT NULL,
  posted_at TEXT NOT NULL
);

-- "RCat" marks the file as a database of this service (SQLite file format, offset 68).
PRAGMA application_id = 0x52436174;
PRAGMA user_version = 9;
