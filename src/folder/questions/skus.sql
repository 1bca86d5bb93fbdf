-- The products that the filters match up to the newest day, of a sku in any letter case; `sku` is null for all.
SELECT DISTINCT product, sku
FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
  JOIN listing USING (product, listing)
WHERE day <= last_day AND ($sku IS NULL OR lower(sku) = lower($sku))
ORDER BY sku
