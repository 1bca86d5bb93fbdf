-- The prices of some products, day by day. Suspect rows are shown, too, and compared with nothing. `shown`: only this number of
-- products, those with a price within 14 days first, then the cheapest of each currency.
WITH wanted AS (
  SELECT unnest($products::INTEGER[]) AS product, unnest(range(len($products::INTEGER[]))) AS rank
), matched AS (
  FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)
), counted AS (
  SELECT price.*, first_day, last_day, today, target_price, note, excluded IS NOT NULL AS suspect
  FROM price SEMI JOIN wanted USING (product) JOIN matched USING (listing)
  WHERE day <= last_day AND coalesce(excluded, 'suspect') = 'suspect'
), step AS (
  SELECT *, lag(selling_price) OVER earlier AS price_before, lag(series) OVER earlier AS series_before,
    selling_price < min(selling_price) OVER (PARTITION BY product, suspect, series ORDER BY day, place
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_new_low
  FROM counted WINDOW earlier AS (PARTITION BY product, suspect ORDER BY day, place)
), newest AS (
  -- A suspect row tells what the product is only if it has no other.
  SELECT product, max(day) FILTER (NOT suspect) AS day, arg_max(listing, (NOT suspect, day, -place)) AS listing,
    any_value(first_day) AS first_day, any_value(last_day) AS last_day,
    arg_max((currency, selling_price), day) FILTER (NOT suspect) AS last_price
  FROM counted GROUP BY product
), shown AS (
  SELECT product, rank, day, listing, day >= last_day - coalesce($max_age, 14)::INTEGER AS is_known
  FROM newest JOIN wanted USING (product)
  WHERE $max_age IS NULL OR is_known
  QUALIFY $shown IS NULL OR row_number() OVER (ORDER BY day >= first_day DESC, is_known DESC, last_price, rank) <= $shown
)
SELECT newest_listing.retailer, newest_listing.sku, newest_listing.title, own.department, own.category,
  step.day AS crawl_date, currency, mrp, selling_price, discount_pct,
  CASE WHEN NOT suspect AND series = series_before THEN percent_change(selling_price, price_before) END AS percent,
  suspect, today - shown.day AS days_old, nullif(newest_listing.url, '') AS url, series, is_new_low, is_known,
  target_price, CASE WHEN NOT suspect THEN selling_price <= target_price END AS target_met, note
FROM step JOIN shown USING (product)
  JOIN listing own ON own.listing = step.listing
  JOIN listing newest_listing ON newest_listing.listing = shown.listing
WHERE step.day >= first_day
ORDER BY rank, crawl_date, suspect, place
