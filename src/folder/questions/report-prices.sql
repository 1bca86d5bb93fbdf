-- The prices of some products, `pairs`, over their days.
SELECT retailer, sku, day, selling_price, currency, series
FROM observed($days, $departments, $categories, $combinations, $brands, $own_list) JOIN product USING (product)
SEMI JOIN (SELECT unnest($pairs::STRUCT(retailer VARCHAR, sku VARCHAR)[], recursive := true)) USING (retailer, sku)
WHERE day >= first_day
ORDER BY retailer, sku, day
