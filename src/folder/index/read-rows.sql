-- Fills an index with the rows of two views: `crawled_row`, as they were crawled, and `kept_row`, of an older index whose products
-- and listings are already here. Crawled rows are read twice: a copy of their texts would take more time, and most of the memory.

-- A price. Four decimals are the most that a currency has; one that does not fit is null. A large number is cast
-- from its text: the cast of the number multiplies it, which would change its decimals.
CREATE TEMP MACRO as_price(number) AS
CASE WHEN abs(number) < 100000000000 THEN TRY_CAST(number AS DECIMAL(18, 4))
  ELSE TRY_CAST(number::VARCHAR AS DECIMAL(18, 4)) END;

CREATE TEMP VIEW crawled AS
SELECT crawl_date AS day, place::INTEGER AS place, retailer, sku, department, category, coalesce(brand, '') AS brand,
  coalesce(model_number, '') AS model_number, coalesce(title, '') AS title, coalesce(url, '') AS url, currency,
  as_price(mrp) AS mrp, as_price(selling_price) AS selling_price, discount_pct
FROM crawled_row;

CREATE TEMP TABLE new_listing AS
FROM (SELECT DISTINCT retailer, sku, department, category, brand, model_number, title, url FROM crawled)
ANTI JOIN listing USING (retailer, sku, department, category, brand, model_number, title, url);

INSERT INTO product
SELECT (SELECT coalesce(max(product), 0) FROM product) + row_number() OVER (ORDER BY retailer, sku), retailer, sku
FROM (SELECT DISTINCT retailer, sku FROM new_listing) ANTI JOIN product USING (retailer, sku);

INSERT INTO listing
SELECT (SELECT coalesce(max(listing), 0) FROM listing) + row_number() OVER (), product, retailer, sku, department,
  category, brand, lower(trim(brand)), model_number, title, url
FROM new_listing JOIN product USING (retailer, sku);

-- Every row counts until the rare ones are marked.
CREATE TABLE price_row AS
SELECT *, 1::INTEGER AS series, NULL::VARCHAR AS excluded, lead(day) OVER step AS next_day,
  selling_price IS DISTINCT FROM lag(selling_price) OVER step AS is_new_price
FROM (
  SELECT product, day, place, listing, currency, mrp, selling_price, discount_pct
  FROM crawled JOIN listing USING (retailer, sku, department, category, brand, model_number, title, url)
  UNION ALL
  SELECT product, day, place, listing, currency, mrp, selling_price, discount_pct FROM kept_row
)
WINDOW step AS (PARTITION BY product ORDER BY day, place);

CREATE TABLE row_count AS
WITH same_names AS (
  -- A number for these texts: to join and group all rows by the texts would take twice as long.
  SELECT listing, min(listing) OVER (PARTITION BY retailer, department, category, brand) AS first_listing FROM listing
), counted AS (
  SELECT day, first_listing, count(*)::INTEGER AS rows FROM price_row JOIN same_names USING (listing) GROUP BY ALL
)
SELECT day, retailer, department, category, brand, rows FROM counted JOIN listing ON listing = first_listing;
