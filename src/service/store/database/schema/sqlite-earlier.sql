-- Before `sqlite.sql`, in a database of version 0.1.0 (schema 2), or of schema 7.
DROP TABLE IF EXISTS row_index;
DROP TABLE IF EXISTS row_count;
DROP TABLE IF EXISTS row_version;
DROP INDEX IF EXISTS product_present;
DROP INDEX IF EXISTS product_removed;
DROP INDEX IF EXISTS product_order;
DROP INDEX IF EXISTS product_place;
ALTER TABLE product RENAME TO earlier_product;
ALTER TABLE combination RENAME TO earlier_combination;
ALTER TABLE data_version ADD COLUMN published INTEGER NOT NULL DEFAULT 0;
