-- The last price of each product up to the newest day.
WITH last AS (
  FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE day >= first_day AND ($max_age IS NULL OR day >= last_day - $max_age::INTEGER)
), reference AS (
  FROM reference_price('last')
)
SELECT retailer, sku, title, brand, department, category, currency, selling_price, mrp, discount_pct, day AS crawl_date,
  today - day AS days_old, nullif(url, '') AS url, reference_price,
  -percent_change(selling_price, reference_price) AS real_discount_pct, reference_days,
  target_price, selling_price <= target_price AS target_met, note, present_since, last_day
FROM last JOIN listing USING (product, listing) JOIN reference USING (product)
ORDER BY retailer, sku
