-- The rows of diff.sql (the table `changes`) of one kind, `change`, with the last price of each product.
WITH changed AS (
  SELECT changes.* EXCLUDE (target_price, target_met, note), product
  FROM changes JOIN product USING (retailer, sku) WHERE change = $change
), last AS (
  SELECT observation.* FROM observation JOIN changed USING (product) WHERE day <= to_date AND coalesce(next_day > to_date, true)
), reference AS (
  FROM reference_price('last')
)
SELECT changed.* EXCLUDE (product), currency, selling_price, discount_pct, day AS crawl_date, nullif(url, '') AS url, present_since
FROM changed JOIN last USING (product) JOIN listing USING (product, listing) JOIN reference USING (product)
ORDER BY list_position(['gone', 'unknown', 'not_crawled'], reason), CASE change WHEN 'vanished' THEN day END DESC,
  discount_pct DESC, changed.retailer, changed.sku
