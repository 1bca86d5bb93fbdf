-- The retailers that the filters match: whether their crawl failed on the newest day (the table `crawl_days` is the answer of
-- crawl-days.sql), their newest crawl, and how many of their products are known.
WITH matching AS (
  SELECT DISTINCT retailer, last_day, today
  FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
  WHERE day <= last_day
), crawled AS (
  SELECT retailer, max(day) AS newest_day FROM row_count JOIN matching USING (retailer) WHERE day <= last_day GROUP BY retailer
), known AS (
  SELECT retailer, count(*) AS products
  FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list) JOIN product USING (product)
  WHERE $max_age IS NULL OR day >= last_day - $max_age::INTEGER
  GROUP BY retailer
), good AS (
  SELECT retailer, max(crawl_date) AS last_good FROM crawl_days WHERE NOT outage GROUP BY retailer
)
SELECT retailer, crawl_date, matching_rows, usual_rows, share, coalesce(outage, false) AS outage,
  CASE WHEN outage THEN last_good + 1 END AS outage_since, newest_day, today - newest_day AS days_old,
  coalesce(products, 0) AS products, last_day - newest_day > $stale_after::INTEGER AS stale
FROM matching JOIN crawled USING (retailer) LEFT JOIN known USING (retailer) LEFT JOIN good USING (retailer)
  LEFT JOIN (SELECT *, crawl_date AS last_day FROM crawl_days) USING (retailer, last_day)
ORDER BY coalesce(outage, false) DESC, stale DESC, newest_day, retailer
