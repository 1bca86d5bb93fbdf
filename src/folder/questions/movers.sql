-- What moved since a day: one row a product and kind, the biggest first.
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
  -- The lowest price of the series up to `since`, and the lowest after it with its first day. A price is lower than all before only
  -- on a day with a new price.
  SELECT product, min(o.selling_price) FILTER (o.day <= since) AS low_selling_price,
    min({price: o.selling_price, day: o.day}) FILTER (o.day > since) AS after
  FROM observation o JOIN now USING (product, series) WHERE o.is_new_price AND o.day <= now.day
  GROUP BY product
), gap AS (
  -- Most days follow one another, so that few rows are left.
  SELECT product, max(o.next_day - o.day)::INTEGER AS longest_gap_days
  FROM observation o JOIN now USING (product, series) WHERE o.next_day - o.day > 1 AND o.day < now.day
  GROUP BY product
), moved AS (
  FROM (
    SELECT step.*, low_selling_price, after.price AS new_low_price, after.day AS reached_date,
      [kind FOR kind IN [
        CASE WHEN difference < 0 THEN 'drop' END, CASE WHEN difference > 0 THEN 'rise' END,
        CASE WHEN after.price < low_selling_price THEN 'new_low' END, CASE WHEN discount_pct > 0 THEN 'discount' END
      ] IF list_contains($kinds::VARCHAR[], kind)] AS kinds
    FROM step JOIN low USING (product)
  )
  WHERE len(kinds) > 0
), moving AS (
  FROM now SEMI JOIN moved USING (product)
), reference AS (
  FROM reference_price('moving')
), low_day AS (
  SELECT product, max(o.day) AS low_date
  FROM observation o JOIN moving USING (product, series) JOIN low USING (product)
  WHERE o.day <= since AND o.selling_price = low_selling_price
  GROUP BY product
)
SELECT kind, retailer, sku, title, department, category, currency, before_date, before_selling_price, day AS date,
  selling_price, percent, mrp, discount_pct, low_date, low_selling_price, listing.brand, nullif(url, '') AS url, difference,
  reference_price, -percent_change(selling_price, reference_price) AS real_discount_pct, reference_days,
  CASE kind WHEN 'new_low' THEN new_low_price END AS new_low_price,
  CASE kind WHEN 'new_low' THEN reached_date END AS reached_date,
  CASE kind WHEN 'new_low' THEN percent_change(new_low_price, low_selling_price) END AS below_low_percent,
  observed_days, coalesce(longest_gap_days, CASE WHEN observed_days > 1 THEN 1 END) AS longest_gap_days, target_price,
  selling_price <= target_price AS target_met, note, present_since,
  CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
    WHEN 'brand' THEN coalesce(nullif(brand.brand, ''), 'no brand') END AS group_name
FROM (SELECT *, unnest(kinds) AS kind FROM moved) JOIN listing USING (product, listing)
  JOIN reference USING (product) LEFT JOIN low_day USING (product) LEFT JOIN gap USING (product) JOIN brand USING (brand_key)
ORDER BY list_position(['drop', 'rise', 'new_low', 'discount'], kind), group_name,
  CASE kind WHEN 'drop' THEN -percent WHEN 'rise' THEN percent
    WHEN 'new_low' THEN -percent_change(new_low_price, low_selling_price) ELSE discount_pct END DESC,
  retailer, sku
