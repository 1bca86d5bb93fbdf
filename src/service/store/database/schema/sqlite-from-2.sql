-- Before `sqlite.sql`, in a database of version 0.1.0.
DROP TABLE row_index;
ALTER TABLE product RENAME TO earlier_product;
ALTER TABLE combination RENAME TO earlier_combination;
ALTER TABLE data_version ADD COLUMN published INTEGER NOT NULL DEFAULT 0;
