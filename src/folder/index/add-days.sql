-- Adds the rows of the view `crawled_row` to the table `unmarked`, and their products and wordings to the index.

CREATE TEMP TABLE crawled AS
SELECT crawl_date AS day, place::INTEGER AS place, retailer, sku, department, category, coalesce(brand, '') AS brand,
  coalesce(model_number, '') AS model_number, coalesce(title, '') AS title, coalesce(url, '') AS url, currency,
  -- Four decimals are the most that a currency has. A price that does not fit is null.
  TRY_CAST(mrp AS DECIMAL(18, 4)) AS mrp, TRY_CAST(selling_price AS DECIMAL(18, 4)) AS selling_price, discount_pct
FROM crawled_row;

INSERT INTO product
SELECT (SELECT coalesce(max(product), 0) FROM product) + row_number() OVER (ORDER BY retailer, sku), retailer, sku
FROM (SELECT DISTINCT retailer, sku FROM crawled) ANTI JOIN product USING (retailer, sku);

INSERT INTO listing
SELECT (SELECT coalesce(max(listing), 0) FROM listing) + row_number() OVER (), product, retailer, sku, department,
  category, brand, lower(trim(brand)), model_number, title, url
FROM (SELECT DISTINCT retailer, sku, department, category, brand, model_number, title, url FROM crawled)
ANTI JOIN listing USING (retailer, sku, department, category, brand, model_number, title, url)
JOIN product USING (retailer, sku);

INSERT INTO unmarked
SELECT product, day, place, listing, currency, mrp, selling_price, discount_pct
FROM crawled JOIN listing USING (retailer, sku, department, category, brand, model_number, title, url);

DROP TABLE crawled;
