-- The last price of each product that is not known on the newest day, the newest first, and why it is not there.
WITH last AS (
  SELECT *, last_day AS end_day FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE day >= first_day AND day < last_day - $max_age::INTEGER
), reference AS (
  FROM reference_price('last')
), missing AS (
  FROM missing_reason('last', $last_day)
)
SELECT retailer, sku, title, brand, department, category, currency, selling_price, mrp, discount_pct, day AS crawl_date,
  today - day AS days_old, nullif(url, '') AS url, reference_price,
  -percent_change(selling_price, reference_price) AS real_discount_pct, reference_days, reason,
  target_price, selling_price <= target_price AS target_met, note
FROM last JOIN listing USING (product, listing) JOIN reference USING (product) JOIN missing USING (product)
ORDER BY crawl_date DESC, retailer, sku
