-- The retailers that the filters match: their newest rows, and whether their crawl failed on the newest day.
WITH wanted AS (
  SELECT DISTINCT retailer, last_day, today
  FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
  WHERE day <= last_day
), known AS (
  SELECT retailer, count(*) AS products
  FROM (
    SELECT product, max(day) AS day, any_value(last_day) AS last_day
    FROM observed($days, $departments, $categories, $combinations, $brands, $own_list) GROUP BY product
  ) JOIN product USING (product)
  WHERE $max_age IS NULL OR day >= last_day - $max_age::INTEGER
  GROUP BY retailer
), counted AS (
  SELECT w.*, o.day, o.rows, o.usual_rows, o.share, o.outage
  FROM wanted w JOIN retailer_outage($last_day) o USING (retailer) WHERE o.day <= w.last_day
), newest AS (
  SELECT retailer, max(day) FILTER (rows > 0) AS newest_day, max(day) FILTER (NOT outage) + 1 AS outage_since
  FROM counted GROUP BY retailer
)
SELECT wanted.retailer, wanted.last_day AS crawl_date, coalesce(rows, 0) AS matching_rows, usual_rows, share,
  coalesce(outage, false) AS outage, CASE WHEN outage THEN outage_since END AS outage_since, newest_day,
  wanted.today - newest_day AS days_old, coalesce(products, 0) AS products,
  wanted.last_day - newest_day > $stale_after::INTEGER AS stale
FROM wanted JOIN newest USING (retailer) LEFT JOIN known USING (retailer)
  LEFT JOIN counted ON counted.retailer = wanted.retailer AND counted.day = wanted.last_day
ORDER BY coalesce(outage, false) DESC, stale DESC, newest_day, wanted.retailer
