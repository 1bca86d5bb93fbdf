-- The tables of a folder's index, `.catalog/prices.duckdb`. It is a cache: deleting it loses nothing.

-- What the index was made of: `days` identifies the days and their SHA-256.
CREATE TABLE meta (version VARCHAR, days VARCHAR);

CREATE TABLE day (day DATE, sha256 VARCHAR, rows INTEGER);

-- A product is a retailer and a sku, letters as crawled.
CREATE TABLE product (product INTEGER, retailer VARCHAR, sku VARCHAR);

-- What crawled rows say of a product, once for each wording. `brand_key`: brands are one if it is equal.
CREATE TABLE listing (
  listing INTEGER, product INTEGER, retailer VARCHAR, sku VARCHAR, department VARCHAR, category VARCHAR,
  brand VARCHAR, brand_key VARCHAR, model_number VARCHAR, title VARCHAR, url VARCHAR
);
