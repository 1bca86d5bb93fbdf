-- The texts of each product by its newest row; products with a price within `max_age` days (14 without a limit) come first.
-- `skus`: their skus; null for any.
WITH matched AS (
  FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE $skus IS NULL OR listing IN (SELECT listing FROM listing WHERE list_contains($skus::VARCHAR[], sku))
), seen AS (
  SELECT product, max(day) AS day, max(day) FILTER (excluded IS NULL) >= any_value(last_day) - coalesce($max_age, 14)::INTEGER AS is_known
  FROM price JOIN matched USING (listing) WHERE day BETWEEN first_day AND last_day GROUP BY product
), newest AS (
  SELECT product, arg_min(listing, place) AS listing, min(place) AS place, any_value(seen.day) AS day, any_value(is_known) AS is_known
  FROM price SEMI JOIN matched USING (listing) JOIN seen USING (product, day) GROUP BY product
)
SELECT product, retailer, sku, title, brand, model_number
FROM newest JOIN listing USING (product, listing)
ORDER BY is_known DESC, day DESC, place, retailer, sku
