-- The rows of each retailer on each day, days without rows included, and whether its crawl failed. What is usual is counted over all
-- rows of the retailer, whatever the filters.
WITH wanted AS (
  SELECT unnest($days::STRUCT(retailer VARCHAR, first_day DATE, last_day DATE)[], recursive := true)
)
SELECT retailer, day AS crawl_date, coalesce(matching.rows, 0) AS matching_rows, usual_rows, share, outage
FROM retailer_outage($last_day) JOIN wanted USING (retailer)
  LEFT JOIN matching_rows($days, $departments, $categories, $combinations, $brands) matching USING (retailer, day)
WHERE day BETWEEN first_day AND wanted.last_day
ORDER BY retailer, crawl_date DESC
