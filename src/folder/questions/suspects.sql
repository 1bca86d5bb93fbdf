-- The suspect rows that the filters match; with `products`, those of these products. `is_new`: after the day that is compared with.
SELECT product, day > since AS is_new
FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
WHERE excluded = 'suspect' AND day BETWEEN first_day AND last_day
  AND ($products IS NULL OR list_contains($products::INTEGER[], product))
