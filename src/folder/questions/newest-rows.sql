-- What the newest row of each product says of it, the products whose price is known on the newest day first. `$skus`: their skus; null
-- for any.
WITH matched AS (
  FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE $skus IS NULL OR listing IN (SELECT listing FROM listing WHERE list_contains($skus::VARCHAR[], sku))
), seen AS (
  SELECT product, max(day) AS day, max(day) FILTER (excluded IS NULL) >= any_value(last_day) - 14 AS is_known
  FROM price JOIN matched USING (listing) WHERE day BETWEEN first_day AND last_day GROUP BY product
), newest AS (
  SELECT product, arg_min(listing, place) AS listing, min(place) AS place, any_value(seen.day) AS day, any_value(is_known) AS is_known
  FROM price SEMI JOIN matched USING (listing) JOIN seen USING (product, day) GROUP BY product
)
SELECT product, retailer, sku, title, brand, model_number
FROM newest JOIN listing USING (product, listing)
ORDER BY is_known DESC, day DESC, place, retailer, sku
