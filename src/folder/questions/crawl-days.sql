-- The rows of each retailer on each day, days without rows included, and whether its crawl failed. What is usual is counted over all
-- rows of the retailer, whatever the filters.
WITH wanted AS (
  SELECT unnest($days::STRUCT(retailer VARCHAR, first_day DATE, last_day DATE)[], recursive := true)
), matching AS (
  SELECT retailer, day, sum(rows)::BIGINT AS rows FROM row_count
  WHERE ($departments IS NULL OR list_contains($departments::VARCHAR[], department))
    AND ($categories IS NULL OR list_contains($categories::VARCHAR[], category))
    AND ($combinations IS NULL OR list_contains($combinations::VARCHAR[], retailer || ':' || category || ':' || department))
    AND ($brands IS NULL OR list_contains([lower(trim(name)) FOR name IN $brands::VARCHAR[]], lower(trim(brand))))
  GROUP BY ALL
)
SELECT retailer, day AS crawl_date, coalesce(matching.rows, 0) AS matching_rows, usual_rows, share, outage
FROM retailer_outage($last_day) JOIN wanted USING (retailer) LEFT JOIN matching USING (retailer, day)
WHERE day BETWEEN first_day AND wanted.last_day
ORDER BY retailer, crawl_date DESC
