-- What the other questions say of one product on its newest day, and the crawled rows that it comes from.
WITH crawled AS (
  SELECT price.*, last_day, today
  FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
  WHERE product = ($products::INTEGER[])[1] AND day <= last_day
), seen AS (
  FROM crawled WHERE excluded IS NULL
), span AS (
  -- Its last price, and the one that was known a week before the newest day.
  SELECT max(day) AS day, max(day) FILTER (day <= last_day - 7
    AND ($max_age IS NULL OR day >= last_day - 7 - $max_age::INTEGER)) AS before_day
  FROM seen
), last AS (
  SELECT seen.*, before_day, today - day AS days_old, $max_age IS NULL OR day >= last_day - $max_age::INTEGER AS is_known
  FROM seen JOIN span USING (day)
), before AS (
  SELECT seen.day AS before_date, seen.selling_price AS before_selling_price, seen.currency AS before_currency,
    CASE WHEN seen.series = last.series THEN difference_of(last.selling_price, seen.selling_price) END AS difference,
    CASE WHEN seen.series = last.series THEN percent_change(last.selling_price, seen.selling_price) END AS percent
  FROM last JOIN seen ON seen.day = last.before_day AND seen.day < last.day
), low AS (
  SELECT min(selling_price) AS low_selling_price, max(day) FILTER (selling_price = lowest) AS low_date
  FROM (SELECT *, min(selling_price) OVER () AS lowest FROM seen SEMI JOIN last USING (series))
), reference AS (
  SELECT * EXCLUDE (product) FROM reference_price('last')
), lost AS (
  SELECT product, last_day AS end_day FROM last WHERE NOT is_known
), missing AS (
  SELECT reason FROM missing_reason('lost', $last_day)
), answer AS (
  SELECT day AS date, selling_price AS known_price, currency AS known_currency, days_old, is_known, before_date,
    before_selling_price, before_currency, difference, percent, low_date, low_selling_price, present_since, reference_price,
    -percent_change(selling_price, reference_price) AS real_discount_pct, reference_days, reason, series AS own_series
  FROM last LEFT JOIN before ON true LEFT JOIN low ON true LEFT JOIN reference ON true LEFT JOIN missing ON true
), id AS (
  SELECT unnest($product_ids::STRUCT(day DATE, place INTEGER, product_id VARCHAR)[], recursive := true)
)
SELECT retailer, sku, title, crawl_date, file, sha256, product_id, currency, mrp, selling_price, discount_pct, counted, rule,
  array_to_string([figure FOR figure IN [
    CASE WHEN counted AND crawl_date = date THEN 'known_price' END,
    CASE WHEN counted AND crawl_date = before_date THEN 'before_selling_price' END,
    CASE WHEN counted AND crawl_date = low_date THEN 'low_selling_price' END,
    CASE WHEN counted AND crawl_date = present_since THEN 'present_since' END,
    -- Those of the thirty days before, and the one that was in force on the first of them, if it is at most 14 days older.
    CASE WHEN counted AND series = own_series AND selling_price = reference_price
      AND crawl_date BETWEEN present_since - 44 AND present_since - 1
      AND coalesce(next_date, present_since) > present_since - 30 THEN 'reference_price' END
  ] IF figure IS NOT NULL], ', ') AS figures,
  date, known_price, days_old, is_known, before_date, before_selling_price, difference, percent, low_date, low_selling_price,
  present_since, reference_price, real_discount_pct, reference_days, reason, known_currency, before_currency
FROM (
  SELECT retailer, sku, title, crawled.day AS crawl_date, strftime(crawled.day, 'crawl_date=%Y-%m-%d/part-0.parquet') AS file, sha256,
    product_id, currency, mrp, selling_price, discount_pct, excluded IS NULL AS counted, excluded AS rule, series, place,
    lead(crawled.day) OVER (PARTITION BY excluded IS NULL ORDER BY crawled.day, place) AS next_date
  FROM crawled JOIN listing USING (product, listing) JOIN day USING (day) JOIN id USING (day, place)
) LEFT JOIN answer ON true
ORDER BY crawl_date DESC, counted DESC, place
