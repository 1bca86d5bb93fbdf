-- Prices and discounts over time: of the prices that are known on the last day of each period, by group and currency.
WITH span AS (
  SELECT INTERVAL (CASE $period WHEN 'month' THEN 1 ELSE 0 END) MONTH
    + INTERVAL (CASE $period WHEN 'week' THEN 7 WHEN 'day' THEN 1 ELSE 0 END) DAY AS length
), seen AS (
  -- The last day on which a price is known.
  SELECT *, least(next_day - 1, last_day, day + $max_age::INTEGER) AS known_until
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
), known AS (
  -- In the periods that end while it is, of which the last may still be running.
  SELECT *, least((period + length)::DATE - 1, last_day) AS period_end
  FROM (
    SELECT seen.*, length,
      unnest(generate_series(date_trunc($period, day), date_trunc($period, known_until), length))::DATE AS period
    FROM seen, span
    WHERE known_until >= least((date_trunc($period, day) + length)::DATE - 1, last_day)
  )
  WHERE known_until >= period_end AND period_end >= first_day
), named AS (
  SELECT known.*, exact_discount(discount_pct) AS discount,
    CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
      WHEN 'brand' THEN brand.brand END AS group_name
  FROM known JOIN listing USING (product, listing) JOIN brand USING (brand_key)
), grouped AS (
  SELECT group_name, currency, period, count(*) AS products, count(discount) AS discounted_products,
    percent_of(count(discount), count(*)) AS discounted_percent,
    mean(sum(discount), count(discount)) AS mean_discount_pct,
    min(selling_price) AS price_min, max(selling_price) AS price_max,
    -- Together, because each would keep all prices.
    quantile_cont(selling_price::DECIMAL(20, 6), [0.25, 0.5, 0.75]) AS quartiles
  FROM named GROUP BY group_name, currency, period
)
SELECT * EXCLUDE (quartiles), quartiles[1] AS price_p25, quartiles[2] AS price_median, quartiles[3] AS price_p75
FROM grouped ORDER BY group_name, currency, period
