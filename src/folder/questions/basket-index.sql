-- The price index of a basket (Laspeyres), by retailer, currency and day on which the retailer was crawled. It compares the products
-- with a price on both days, in one series.
WITH seen AS (
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
), item AS (
  SELECT product, retailer, own_retailer, (quantity * 1000)::DECIMAL(9, 0) AS thousandths
  FROM own_product($own_list) JOIN product USING (product) SEMI JOIN seen USING (product)
), line AS (
  FROM own_line($own_list)
), wanted AS (
  -- A line with a retailer counts even if that has no such product.
  SELECT retailer, count(*)::INTEGER AS products
  FROM (
    SELECT own_retailer AS retailer FROM line WHERE own_retailer <> ''
    UNION ALL SELECT retailer FROM item WHERE own_retailer = ''
  )
  GROUP BY retailer
), base AS (
  SELECT item.*, currency, series, selling_price::DECIMAL(20, 4) * thousandths AS base_cost
  FROM item JOIN seen USING (product)
  WHERE day <= $base::DATE AND ($max_age IS NULL OR day >= $base::DATE - $max_age::INTEGER)
  QUALIFY row_number() OVER (PARTITION BY product ORDER BY day DESC) = 1
), asked AS (
  SELECT base.*, day
  FROM base JOIN matching_rows($days, $departments, $categories, $combinations, $brands) USING (retailer)
  WHERE day BETWEEN since AND $end::DATE
), priced AS (
  SELECT asked.*, CASE WHEN seen.series = asked.series AND ($max_age IS NULL OR seen.day >= asked.day - $max_age::INTEGER)
    THEN selling_price::DECIMAL(20, 4) * thousandths END AS cost
  FROM asked ASOF LEFT JOIN seen ON asked.product = seen.product AND asked.day >= seen.day
), summed AS (
  SELECT retailer, day, currency, count(cost)::INTEGER AS products_priced, sum(cost) AS cost,
    sum(base_cost) FILTER (cost IS NOT NULL) AS base_cost
  FROM priced GROUP BY ALL
)
SELECT retailer, day AS crawl_date, currency, percent_of(cost, base_cost) AS index,
  round(cost::DECIMAL(30, 4) * 0.001::DECIMAL(4, 3), 6) AS basket_value, products_priced, products, $base::DATE AS base_date,
  round(base_cost::DECIMAL(30, 4) * 0.001::DECIMAL(4, 3), 6) AS base_value
FROM summed JOIN wanted USING (retailer)
ORDER BY retailer, currency, crawl_date
