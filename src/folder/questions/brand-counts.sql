-- The rows of each brand of a combination by day, as `2026-01-31 12,2026-02-01 9`: a row for each day would take most of the time.
WITH counted AS (
  SELECT retailer || ':' || category || ':' || department AS rcd, brand.brand, day, sum(rows) AS rows
  FROM row_count JOIN brand ON brand.brand_key = lower(trim(row_count.brand))
  WHERE $brands IS NULL OR list_contains([lower(trim(name)) FOR name IN $brands::VARCHAR[]], brand.brand_key)
  GROUP BY ALL
)
SELECT rcd, brand, string_agg(day || ' ' || rows, ',' ORDER BY day) FROM counted GROUP BY ALL
