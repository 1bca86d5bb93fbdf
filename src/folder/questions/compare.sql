-- The same product at several retailers: the last known prices of products whose keys, the parts of `by`, are equal. They are
-- converted to `currency` or, without it, compared within each currency.
WITH last AS (
  FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE $max_age IS NULL OR day >= last_day - $max_age::INTEGER
), rate AS (
  -- What one unit of each currency is worth in the currency that prices are converted to.
  SELECT unnest($rates::STRUCT(currency VARCHAR, rate DECIMAL(18, 9))[], recursive := true)
), offer AS (
  SELECT retailer, sku,
    [CASE part WHEN 'model_number' THEN model_number WHEN 'sku' THEN sku WHEN 'title' THEN title WHEN 'brand' THEN brand END
      FOR part IN $by::VARCHAR[]] AS parts,
    [lower(trim(regexp_replace(part, '[\s\p{Z}]+', ' ', 'g'))) FOR part IN parts] AS key,
    coalesce($currency, last.currency) AS currency,
    CASE WHEN $currency IS NULL OR last.currency = $currency THEN selling_price::DECIMAL(24, 6)
      ELSE TRY_CAST(round(selling_price::DECIMAL(20, 4) * rate, 6) AS DECIMAL(24, 6)) END AS price
  FROM last JOIN listing USING (product, listing) LEFT JOIN rate ON rate.currency = last.currency
), shared AS (
  SELECT key, currency FROM offer WHERE price IS NOT NULL AND NOT list_contains(key, '')
  GROUP BY ALL HAVING count(DISTINCT retailer) > 1
), cheapest AS (
  -- The cheapest offer of each retailer.
  SELECT * FROM offer SEMI JOIN shared USING (key, currency) WHERE price IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY key, currency, retailer ORDER BY price, in_code_units(sku)) = 1
)
SELECT arg_min(parts, (price, retailer)) AS parts, currency, count(*)::INTEGER AS retailers,
  arg_min(retailer, (price, retailer)) AS cheapest_retailer, min(price) AS cheapest_price, max(price) AS dearest_price,
  -- Times 100, because percent_of keeps four decimals, and converted prices have six.
  percent_of((max(price) - min(price)) * 100, min(price) * 100) AS spread_percent,
  map_from_entries(list((retailer, price))) AS prices
FROM cheapest GROUP BY key, currency
ORDER BY spread_percent DESC NULLS LAST, key, currency
