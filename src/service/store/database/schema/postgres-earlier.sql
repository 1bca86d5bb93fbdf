-- Before `postgres.sql`, in a database of schema 7.
DROP TABLE row_count;
DROP TABLE row_version;
DROP INDEX product_present, product_removed, product_order, product_place;
ALTER TABLE product RENAME TO earlier_product;
ALTER TABLE earlier_product DROP CONSTRAINT product_combination_fkey;
ALTER INDEX product_pkey RENAME TO earlier_product_pkey;
ALTER SEQUENCE product_id_seq RENAME TO earlier_product_id_seq;
DROP TABLE combination;
ALTER TABLE data_version ADD COLUMN published BIGINT NOT NULL DEFAULT 0;
