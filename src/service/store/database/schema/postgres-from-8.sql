-- From schema 8, which had the rows of each combination and day in a table of their own.
ALTER TABLE combination ADD COLUMN days TEXT COLLATE "C" NOT NULL DEFAULT '[]';
UPDATE combination SET days = counted.days FROM (
  SELECT retailer, combination, '[' || string_agg(day || ',' || rows, ',' ORDER BY day) || ']' AS days
  FROM row_count GROUP BY retailer, combination
) AS counted WHERE counted.retailer = combination.retailer AND counted.combination = combination.id;
ALTER TABLE combination DROP COLUMN rows, DROP COLUMN first_day, DROP COLUMN last_day;
DROP TABLE row_count;
UPDATE catalog_schema SET version = 9;
