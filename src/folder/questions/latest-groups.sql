-- How many of the products that are known on the newest day are discounted, and by how much, by group.
WITH known AS (
  FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE day >= first_day AND ($max_age IS NULL OR day >= last_day - $max_age::INTEGER)
), named AS (
  SELECT exact_discount(discount_pct) AS discount,
    CASE $group_by WHEN 'retailer' THEN retailer WHEN 'department' THEN department WHEN 'category' THEN category
      WHEN 'brand' THEN brand.brand END AS group_name
  FROM known JOIN listing USING (product, listing) JOIN brand USING (brand_key)
)
SELECT group_name, count(*) AS products, count(discount) AS discounted_products,
  percent_of(count(discount), count(*)) AS discounted_percent,
  mean(sum(discount), count(discount)) AS mean_discount_pct,
  coalesce(sum(discount), 0) AS sum_of_discounts
FROM named GROUP BY group_name
ORDER BY products DESC, group_name
