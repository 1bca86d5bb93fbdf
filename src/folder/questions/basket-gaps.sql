-- What the index of a basket is about: its base day, and by retailer how many of the products have no price on that day, and
-- the day on which the last of those that ever get a price has one.
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
), priced AS (
  SELECT item.retailer, count(DISTINCT product) AS priced
  FROM item JOIN seen USING (product), base
  WHERE seen.day <= base.day AND ($max_age IS NULL OR seen.day >= base.day - $max_age::INTEGER) GROUP BY item.retailer
)
SELECT (SELECT day FROM base)::VARCHAR AS base, retailer, sum(products)::INTEGER AS products,
  sum(products)::INTEGER - coalesce(any_value(priced), 0)::INTEGER AS lacking,
  (SELECT max(first_day) FROM item WHERE item.retailer = wanted.retailer)::VARCHAR AS complete
FROM wanted LEFT JOIN priced USING (retailer)
WHERE retailer IN (SELECT unnest($days::STRUCT(retailer VARCHAR)[]).retailer)
GROUP BY retailer ORDER BY retailer
