-- What moved since a day: one row a product and kind, the biggest first. Macros and the view `observation`: ../index/views.sql.
WITH now AS (
  -- Products with an observation after `since` that are known on the newest day.
  FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE day > since AND ($max_age IS NULL OR day >= last_day - $max_age::INTEGER)
), before AS (
  SELECT observation.* FROM observation JOIN now USING (product)
  WHERE observation.day <= since AND observation.next_day > since
    AND ($max_age IS NULL OR observation.day >= since - $max_age::INTEGER)
), step AS (
  SELECT now.*, before.day AS before_date, before.selling_price AS before_selling_price,
    CASE WHEN before.series = now.series THEN difference_of(now.selling_price, before.selling_price) END AS difference,
    CASE WHEN before.series = now.series THEN percent_change(now.selling_price, before.selling_price) END AS percent
  FROM now LEFT JOIN before USING (product)
), low AS (
  -- The lowest price of the series up to `since`, and after it.
  SELECT product, min(observation.selling_price) FILTER (observation.day <= since) AS low_selling_price,
    min(observation.selling_price) FILTER (observation.day > since) AS new_low_price, count(*)::INTEGER AS observed_days,
    max(observation.next_day - observation.day) FILTER (observation.day < now.day)::INTEGER AS longest_gap_days
  FROM observation JOIN now USING (product, series) WHERE observation.day <= now.day
  GROUP BY product
), moved AS (
  FROM (
    SELECT step.*, low.* EXCLUDE (product),
      [kind FOR kind IN ($kinds::VARCHAR[]) IF CASE kind WHEN 'drop' THEN difference < 0 WHEN 'rise' THEN difference > 0
        WHEN 'new_low' THEN new_low_price < low_selling_price WHEN 'discount' THEN discount_pct > 0 END] AS kinds
    FROM step JOIN low USING (product)
  )
  WHERE len(kinds) > 0
), moving AS (
  FROM now SEMI JOIN moved USING (product)
), reference AS (
  FROM reference_price('moving')
), low_day AS (
  SELECT product, max(o.day) FILTER (o.day <= since AND o.selling_price = low_selling_price) AS low_date,
    min(o.day) FILTER (o.day > since AND o.selling_price = new_low_price) AS reached_date
  FROM observation o JOIN moving USING (product, series) JOIN low USING (product)
  WHERE o.day <= moving.day AND o.selling_price IN (low_selling_price, new_low_price)
  GROUP BY product
)
SELECT kind, retailer, sku, title, department, category, currency, before_date, before_selling_price, day AS date,
  selling_price, percent, mrp, discount_pct, low_date, low_selling_price, listing.brand, nullif(url, '') AS url, difference,
  reference_price, -percent_change(selling_price, reference_price) AS real_discount_pct, reference_days,
  CASE kind WHEN 'new_low' THEN new_low_price END AS new_low_price,
  CASE kind WHEN 'new_low' THEN reached_date END AS reached_date,
  CASE kind WHEN 'new_low' THEN percent_change(new_low_price, low_selling_price) END AS below_low_percent,
  observed_days, longest_gap_days, target_price, selling_price <= target_price AS target_met, note, present_since,
  CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
    WHEN 'brand' THEN coalesce(nullif(brand.brand, ''), 'no brand') END AS group_name
FROM (SELECT *, unnest(kinds) AS kind FROM moved) JOIN listing USING (product, listing)
  JOIN reference USING (product) JOIN low_day USING (product) JOIN brand USING (brand_key)
ORDER BY list_position(['drop', 'rise', 'new_low', 'discount'], kind), group_name,
  CASE kind WHEN 'drop' THEN -percent WHEN 'rise' THEN percent
    WHEN 'new_low' THEN -percent_change(new_low_price, low_selling_price) ELSE discount_pct END DESC,
  retailer, sku
