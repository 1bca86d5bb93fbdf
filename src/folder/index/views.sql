-- What questions are made of. All of it is in the index, so that a person can go on from `--show-sql` in any DuckDB.

-- Every crawled row with a product, a day and its place in the file of the day.
CREATE VIEW price AS FROM price_row;

-- The price of a product on a day, at most one.
CREATE VIEW observation AS
SELECT product, day, place, listing, currency, mrp, selling_price, discount_pct, series
FROM price WHERE excluded IS NULL;

-- How brands are shown that are equal but for case and outer spaces: as spelt most often, then most recently.
CREATE VIEW brand AS
SELECT brand_key, first(brand ORDER BY rows DESC, day DESC, brand) AS brand
FROM (
  SELECT lower(trim(brand)) AS brand_key, brand, sum(rows) AS rows, max(day) AS day FROM row_count GROUP BY brand
)
GROUP BY brand_key;

-- What the filters match. `days`: the retailers that count, each with its days. A list that is null matches all.
CREATE MACRO scope(days, departments, categories, combinations, brands) AS TABLE
SELECT listing, retailer, first_day, since, last_day
FROM listing
JOIN (
  SELECT unnest(days::STRUCT(retailer VARCHAR, first_day DATE, since DATE, last_day DATE)[], recursive := true)
) USING (retailer)
WHERE (departments IS NULL OR list_contains(departments::VARCHAR[], department))
  AND (categories IS NULL OR list_contains(categories::VARCHAR[], category))
  AND (combinations IS NULL OR list_contains(combinations::VARCHAR[], retailer || ':' || category || ':' || department))
  AND (brands IS NULL OR list_contains([lower(trim(name)) FOR name IN brands::VARCHAR[]], brand_key));

-- The observations that the filters match, up to the newest day of their retailer.
CREATE MACRO observed(days, departments, categories, combinations, brands) AS TABLE
SELECT product, day, listing, currency, mrp, selling_price, discount_pct, series, since, last_day
FROM observation JOIN scope(days, departments, categories, combinations, brands) USING (listing)
WHERE day <= last_day;

-- above / below with six decimals, exact, halves rounded away from zero; null of a division by zero. Both are prices.
CREATE MACRO ratio(above, below) AS
CASE WHEN below <> 0 THEN (
  (2 * sign(below)::HUGEINT * (above * 10000)::HUGEINT * 1000000
    + sign(above)::HUGEINT * abs((below * 10000)::HUGEINT))
  // (2 * abs((below * 10000)::HUGEINT))
)::DECIMAL(30, 0) * 0.000001::DECIMAL(7, 6) END::DECIMAL(37, 6);

-- A change of a price in percent. A price before of zero has none.
CREATE MACRO percent_change(price, price_before) AS ratio((price - price_before) * 100, price_before);

-- The reference price (Directive 98/6/EC, article 6a) of the last prices in the relation `lasts`: product, series, day and
-- selling_price. `present_since`: the first day of the latest run of observations with this price.
CREATE MACRO reference_price(lasts) AS TABLE
WITH own AS (
  SELECT product, o.day, o.selling_price, l.selling_price AS present
  FROM query_table(lasts) l JOIN observation o USING (product, series)
  WHERE o.day <= l.day
), other AS (
  SELECT product, min(day) AS first_day, max(day) FILTER (selling_price <> present) AS last_other FROM own GROUP BY product
), present AS (
  SELECT product, min(day) AS present_since, any_value(first_day) AS first_day
  FROM own JOIN other USING (product) WHERE day > coalesce(last_other, '-infinity') GROUP BY product
), before AS (
  SELECT product, present_since, first_day, day, selling_price,
    lead(day) OVER (PARTITION BY product ORDER BY day) AS next_day
  FROM own JOIN present USING (product)
  -- Seven days before the thirty are enough for reference_days, fourteen for the price in force at their beginning.
  WHERE day BETWEEN present_since - 44 AND present_since - 1
), summed AS (
  SELECT product,
    min(selling_price) FILTER (day >= present_since - 30 OR in_force) AS lowest,
    sum(greatest(0, least(coalesce(next_day, present_since), day + 8, present_since)
      - greatest(day, present_since - 30))) AS reference_days
  FROM (SELECT *, coalesce(next_day, present_since) > present_since - 30 AS in_force FROM before)
  GROUP BY product
)
SELECT product, present_since, coalesce(reference_days, 0)::INTEGER AS reference_days,
  CASE WHEN reference_days >= 24 AND present_since > first_day THEN lowest END AS reference_price
FROM present LEFT JOIN summed USING (product);
