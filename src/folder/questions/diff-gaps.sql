-- Retailers whose crawl failed on one of the two days of diff.sql or, if only their rows count, that have rows on one of them only.
WITH side AS (
  SELECT DISTINCT retailer, unnest([since, last_day]) AS day, unnest(['appeared', 'vanished']) AS change
  FROM scope($days, $departments, $categories, $combinations, $brands, $own_list)
), crawled AS (
  SELECT DISTINCT retailer, day
  FROM price JOIN scope($days, $departments, $categories, $combinations, $brands, $own_list) USING (listing)
  WHERE day IN (since, last_day)
), gap AS (
  SELECT side.*, coalesce(outage, false) AS is_outage, crawled.day IS NULL AS is_empty
  FROM side LEFT JOIN retailer_outage($last_day) o USING (retailer, day) LEFT JOIN crawled USING (retailer, day)
)
SELECT strftime(day, '%Y-%m-%d'), is_outage, change, string_agg(retailer, ' ' ORDER BY retailer)
FROM gap
WHERE is_outage OR $strict AND is_empty AND retailer IN (SELECT retailer FROM crawled) AND day IN (SELECT day FROM crawled)
GROUP BY ALL ORDER BY ALL
