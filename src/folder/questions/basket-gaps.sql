-- What the index of a basket is about: its base day, and by retailer how many of the products have no price on that day, and
-- the day on which the last of those that ever get a price gets it, if the others still have one then.
WITH seen AS (
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
), item AS (
  SELECT product, retailer, own_retailer, min(day) AS first_day, any_value(since) AS since
  FROM own_product($own_list) JOIN product USING (product) JOIN seen USING (product) GROUP BY ALL
), listed AS (
  SELECT DISTINCT day FROM matching_rows($days, $departments, $categories, $combinations, $brands) SEMI JOIN item USING (retailer)
  WHERE day BETWEEN since AND $end::DATE
), base AS (
  -- By default the first of these days on which a product has a price.
  SELECT coalesce($base::DATE, min(listed.day)) AS day
  FROM listed JOIN (SELECT DISTINCT day FROM seen) priced
    ON listed.day >= priced.day AND ($max_age IS NULL OR listed.day <= priced.day + $max_age::INTEGER)
), line AS (
  FROM own_line($own_list)
), wanted AS (
  SELECT own_retailer AS retailer, count(*) AS products FROM line WHERE own_retailer <> '' GROUP BY own_retailer
  UNION ALL
  SELECT retailer, count(*) FROM item WHERE own_retailer = '' GROUP BY retailer
), last_first AS (
  SELECT retailer, max(first_day) AS day, count(*) AS products FROM item GROUP BY retailer
), priced AS (
  SELECT retailer, asked.day, count(DISTINCT product) AS products
  FROM (SELECT retailer, base.day FROM last_first, base UNION SELECT retailer, day FROM last_first) asked
  JOIN item USING (retailer) JOIN seen USING (product)
  WHERE seen.day <= asked.day AND ($max_age IS NULL OR seen.day >= asked.day - $max_age::INTEGER) GROUP BY ALL
)
SELECT (SELECT strftime(day, '%Y-%m-%d') FROM base) AS base, retailer, sum(wanted.products)::INTEGER AS products,
  sum(wanted.products)::INTEGER - coalesce(any_value(on_base.products), 0)::INTEGER AS lacking,
  strftime(any_value(complete.day), '%Y-%m-%d') AS complete
FROM wanted
  LEFT JOIN (FROM priced SEMI JOIN base USING (day)) on_base USING (retailer)
  LEFT JOIN (FROM last_first SEMI JOIN priced USING (retailer, day, products)) complete USING (retailer)
WHERE retailer IN (SELECT unnest($days::STRUCT(retailer VARCHAR)[]).retailer)
GROUP BY retailer ORDER BY retailer
