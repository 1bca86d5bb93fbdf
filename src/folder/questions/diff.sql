-- What is different between two days: one row a product. The later day is `last_day`, the earlier one `since`.
WITH earlier AS (
  -- With `strict`, a price is known on its day alone.
  FROM observed($days, $departments, $categories, $combinations, $brands, $own_list)
  -- A bookmark may be newer than the newest day.
  WHERE day <= since AND coalesce(next_day > least(since, last_day), true)
    -- Implied; spares the other rows the joins.
    AND coalesce(next_day > list_min([least(d.since, d.last_day) FOR d IN $days::STRUCT(since DATE, last_day DATE)[]]), true)
    AND CASE WHEN $strict THEN day = since ELSE $max_age IS NULL OR day >= since - $max_age::INTEGER END
), later AS (
  FROM last_observed($days, $departments, $categories, $combinations, $brands, $own_list)
  WHERE CASE WHEN $strict THEN day = last_day ELSE $max_age IS NULL OR day >= last_day - $max_age::INTEGER END
), paired AS (
  SELECT product, coalesce(b.since, a.since) AS since, coalesce(b.last_day, a.last_day) AS last_day, a.day AS from_day,
    b.day AS to_day, coalesce(b.listing, a.listing) AS listing, a.mrp AS from_mrp, b.mrp AS to_mrp,
    a.selling_price AS from_selling_price, b.selling_price AS to_selling_price, a.discount_pct AS from_discount_pct,
    b.discount_pct AS to_discount_pct, a.currency AS from_currency, b.currency AS to_currency,
    a.series = b.series AS is_one_series, coalesce(b.target_price, a.target_price) AS target_price, coalesce(b.note, a.note) AS note
  FROM earlier a FULL JOIN later b USING (product)
), new AS (
  -- Whether a product that is known on the later day only was crawled before.
  SELECT product, min(price.day) <= any_value(since) AS was_seen
  FROM price JOIN (FROM paired WHERE from_day IS NULL) USING (product) GROUP BY product
), changed AS (
  SELECT paired.*,
    CASE
      WHEN from_day IS NULL THEN CASE WHEN was_seen AND NOT $strict THEN 'returned' ELSE 'appeared' END
      WHEN to_day IS NULL THEN 'vanished'
      WHEN (from_mrp, from_selling_price, from_discount_pct, from_currency)
        IS DISTINCT FROM (to_mrp, to_selling_price, to_discount_pct, to_currency) THEN 'changed'
      ELSE 'unchanged'
    END AS change
  FROM paired LEFT JOIN new USING (product)
), lost AS (
  SELECT product, last_day AS end_day FROM changed WHERE change = 'vanished' AND NOT $strict
), missing AS (
  FROM missing_reason('lost', $last_day)
)
SELECT change, retailer, sku, department, category, title, since AS from_date, last_day AS to_date, from_mrp, to_mrp,
  from_selling_price, to_selling_price, from_discount_pct, to_discount_pct, from_currency, to_currency,
  CASE WHEN is_one_series THEN percent_change(to_selling_price, from_selling_price) END AS percent,
  from_day AS from_seen, to_day AS to_seen,
  CASE WHEN is_one_series THEN difference_of(to_selling_price, from_selling_price) END AS difference, reason,
  target_price, to_selling_price <= target_price AS target_met, note
FROM changed JOIN listing USING (product, listing) LEFT JOIN missing USING (product)
WHERE $kinds IS NULL OR list_contains($kinds::VARCHAR[], change)
ORDER BY CASE WHEN $by_kind THEN list_position(['changed', 'appeared', 'returned', 'vanished'], change) END, retailer, sku
