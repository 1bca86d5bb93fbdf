-- From schema 8, which had the rows of each combination and day in a table of their own.
ALTER TABLE combination ADD COLUMN days TEXT NOT NULL DEFAULT '[]';
UPDATE combination SET days = counted.days FROM (
  SELECT combination, '[' || string_agg(day || ',' || rows, ',' ORDER BY day) || ']' AS days
  FROM row_count GROUP BY retailer, combination
) AS counted WHERE counted.combination = combination.id;
ALTER TABLE combination DROP COLUMN rows;
ALTER TABLE combination DROP COLUMN first_day;
ALTER TABLE combination DROP COLUMN last_day;
DROP TABLE row_count;
PRAGMA user_version = 9;
