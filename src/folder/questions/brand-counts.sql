-- The rows of each brand of a combination by day, as `2026-01-31 12,2026-02-01 9`. In one text, because fetching a
-- row for each day would take longer than the query. A day comes once for each spelling of the brand.
SELECT retailer || ':' || category || ':' || department AS rcd, brand.brand, string_agg(strftime(day, '%Y-%m-%d ') || rows, ',')
FROM row_count JOIN brand ON brand.brand_key = lower(trim(row_count.brand))
WHERE $brands IS NULL OR list_contains([lower(trim(name)) FOR name IN $brands::VARCHAR[]], brand.brand_key)
GROUP BY retailer, category, department, brand.brand
