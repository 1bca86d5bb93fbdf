-- Prices and discounts over time: of the prices that are known on the last day of each period, by group and currency.
WITH seen AS (
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
), newest AS (
  -- The newest price of a product in each period, and the period in which it has the next one.
  SELECT *, lead(period) OVER (PARTITION BY product ORDER BY period) AS next_period
  FROM (SELECT product, date_trunc($period, day)::DATE AS period, max(day) AS day FROM seen GROUP BY ALL)
), known AS (
  -- It is known on the last days of the periods up to then, as long as it is not too old.
  SELECT product, day, listing, currency, selling_price, discount_pct, period, first_day,
    least((period + to_period)::DATE - 1, last_day) AS period_end
  FROM (
    SELECT seen.*, INTERVAL (CASE $period WHEN 'month' THEN 1 ELSE 0 END) MONTH
        + INTERVAL (CASE $period WHEN 'week' THEN 7 WHEN 'day' THEN 1 ELSE 0 END) DAY AS to_period,
      unnest(generate_series(newest.period::TIMESTAMP,
        least(coalesce(next_period - 1, last_day), last_day, CASE WHEN $max_age IS NULL THEN last_day
          ELSE seen.day + $max_age::INTEGER END)::TIMESTAMP,
        INTERVAL (CASE $period WHEN 'month' THEN 1 ELSE 0 END) MONTH
          + INTERVAL (CASE $period WHEN 'week' THEN 7 WHEN 'day' THEN 1 ELSE 0 END) DAY))::DATE AS period
    FROM newest JOIN seen USING (product, day)
  )
  WHERE ($max_age IS NULL OR day >= period_end - $max_age::INTEGER) AND period_end >= first_day
), named AS (
  SELECT known.*,
    CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
      WHEN 'brand' THEN brand.brand END AS group_name
  FROM known JOIN listing USING (product, listing) JOIN brand USING (brand_key)
)
SELECT group_name, currency, period, count(*) AS products, count(*) FILTER (discount_pct > 0) AS discounted_products,
  percent_of(count(*) FILTER (discount_pct > 0), count(*)) AS discounted_percent,
  mean(sum(discount_pct::DECIMAL(18, 12)) FILTER (discount_pct > 0), count(*) FILTER (discount_pct > 0)) AS mean_discount_pct,
  min(selling_price) AS price_min,
  quantile_cont(selling_price::DECIMAL(20, 6), 0.25) AS price_p25,
  quantile_cont(selling_price::DECIMAL(20, 6), 0.5) AS price_median,
  quantile_cont(selling_price::DECIMAL(20, 6), 0.75) AS price_p75,
  max(selling_price) AS price_max
FROM named GROUP BY group_name, currency, period
ORDER BY group_name, currency, period
