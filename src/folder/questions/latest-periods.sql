-- Prices and discounts over time: of the prices that are known on the last day of each period, by group and currency.
WITH seen AS (
  -- The last day on which a price is known.
  SELECT *, least(next_day - 1, last_day, day + $max_age::INTEGER) AS known_until
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
), known AS (
  -- In the periods that end while it is, of which the last may still be running.
  SELECT *, least(end_of_period($period, period), last_day) AS period_end
  FROM (
    SELECT *, unnest(generate_series(date_trunc($period, day), date_trunc($period, known_until),
      CASE $period WHEN 'month' THEN INTERVAL 1 MONTH WHEN 'week' THEN INTERVAL 7 DAY ELSE INTERVAL 1 DAY END))::DATE AS period
    FROM seen WHERE known_until >= least(end_of_period($period, day), last_day)
  )
  WHERE known_until >= period_end AND period_end >= first_day
), named AS (
  SELECT listing,
    CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
      WHEN 'brand' THEN brand.brand END AS group_name
  FROM listing JOIN brand USING (brand_key)
), priced AS (
  SELECT group_name, currency, period, selling_price, exact_discount(discount_pct) AS discount
  FROM known JOIN named USING (listing)
), grouped AS (
  SELECT group_name, currency, period, count(*) AS products, count(discount) AS discounted_products,
    percent_of(count(discount), count(*)) AS discounted_percent,
    mean(sum(discount), count(discount)) AS mean_discount_pct,
    min(selling_price) AS price_min, max(selling_price) AS price_max,
    -- Together, because each would keep all prices.
    quantile_cont(selling_price::DECIMAL(20, 6), [0.25, 0.5, 0.75]) AS quartiles
  FROM priced GROUP BY group_name, currency, period
)
SELECT * EXCLUDE (quartiles), quartiles[1] AS price_p25, quartiles[2] AS price_median, quartiles[3] AS price_p75
FROM grouped ORDER BY group_name, currency, period
