-- What moved since a day: one row a product and kind, the biggest first.
-- A copy of all observations would take more time and memory than to read them again for each use.
WITH seen AS NOT MATERIALIZED (
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
), span AS (
  -- Products with an observation after `since` that are known on the newest day.
  SELECT product, max(day) AS day, max(day) FILTER (day <= since) AS before_day
  FROM seen GROUP BY product
  HAVING max(day) > any_value(since) AND ($max_age IS NULL OR max(day) >= any_value(last_day) - $max_age::INTEGER)
), now AS (
  SELECT seen.*, CASE WHEN $max_age IS NULL OR before_day >= since - $max_age::INTEGER THEN before_day END AS before_day
  FROM seen JOIN span USING (product, day)
), step AS (
  SELECT now.*, b.day AS before_date, b.selling_price AS before_selling_price,
    CASE WHEN b.series = now.series THEN now.selling_price - b.selling_price END AS difference,
    CASE WHEN b.series = now.series THEN percent_change(now.selling_price, b.selling_price) END AS percent
  FROM now LEFT JOIN seen b ON b.product = now.product AND b.day = now.before_day
), low AS (
  -- The lowest price of the series up to `since`, and after it.
  SELECT product, series, min(selling_price) FILTER (day <= since) AS low_selling_price,
    min(selling_price) FILTER (day > since) AS new_low_price
  FROM seen SEMI JOIN now USING (product, series)
  GROUP BY product, series
), kind_of AS (
  SELECT 1 AS rank, 'drop' AS kind, product, -percent AS size FROM step WHERE difference < 0
  UNION ALL SELECT 2, 'rise', product, percent FROM step WHERE difference > 0
  UNION ALL SELECT 3, 'new_low', product, -percent_change(new_low_price, low_selling_price)
    FROM low WHERE new_low_price < low_selling_price
  UNION ALL SELECT 4, 'discount', product, discount_pct FROM now WHERE discount_pct > 0
), moved AS (
  SELECT * FROM kind_of WHERE list_contains($kinds::VARCHAR[], kind)
), moved_now AS (
  SELECT step.* FROM step SEMI JOIN moved USING (product)
), reference AS (
  FROM reference_price('moved_now')
), detail AS (
  SELECT product, max(day) FILTER (day <= since AND selling_price = low_selling_price) AS low_date,
    min(day) FILTER (day > since AND selling_price = new_low_price) AS reached_date,
    count(*)::INTEGER AS observed_days, max(gap)::INTEGER AS longest_gap_days
  FROM (
    SELECT *, day - lag(day) OVER (PARTITION BY product ORDER BY day) AS gap
    FROM seen SEMI JOIN moved_now USING (product, series) JOIN low USING (product, series)
  )
  GROUP BY product
)
SELECT kind, retailer, sku, title, department, category, currency, before_date, before_selling_price, day AS date,
  selling_price, percent, mrp, discount_pct, low_date, low_selling_price, listing.brand, nullif(url, '') AS url, difference,
  reference_price, percent_of(reference_price - selling_price, reference_price) AS real_discount_pct, reference_days,
  CASE kind WHEN 'new_low' THEN new_low_price END AS new_low_price,
  CASE kind WHEN 'new_low' THEN reached_date END AS reached_date,
  CASE kind WHEN 'new_low' THEN percent_change(new_low_price, low_selling_price) END AS below_low_percent,
  observed_days, longest_gap_days, target_price, selling_price <= target_price AS target_met, note, present_since,
  CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
    WHEN 'brand' THEN coalesce(nullif(brand.brand, ''), 'no brand') END AS group_name
FROM moved JOIN moved_now USING (product) JOIN listing USING (product, listing) JOIN low USING (product, series)
  JOIN reference USING (product) JOIN detail USING (product) JOIN brand USING (brand_key)
ORDER BY rank, group_name, size DESC, retailer, sku
