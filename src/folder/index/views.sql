-- What questions are made of. All of it is in the index, so that a person can go on from `--show-sql` in any DuckDB.

-- Every crawled row with a product, a day and its place in the file of the day.
CREATE VIEW price AS FROM price_row;

-- The price of a product on a day, at most one. It stays the newest until the day before `next_day`. `is_new_price`: the earlier
-- one of its series, if there is one, has another price.
CREATE VIEW observation AS
SELECT * EXCLUDE (excluded) FROM price WHERE excluded IS NULL;

-- Products with a row that may not count, or with two currencies. Windows run over their rows only, because over all rows they
-- take seconds. Variable `suspect_factor`: see suspect-rows.sql.
CREATE VIEW rare_product AS
SELECT product FROM price_row GROUP BY product
HAVING bool_or(excluded IS NOT NULL OR next_day = day OR selling_price IS NULL OR selling_price <= 0)
  OR min(currency) <> max(currency)
  OR max(selling_price) >= min(selling_price)::DECIMAL(20, 4) * getvariable('suspect_factor');

-- How brands are shown that are equal but for case and outer spaces: as spelt most often, then most recently, up to the newest day.
-- Variable `last_day`: that day, if there are later ones.
CREATE VIEW brand AS
SELECT brand_key, first(brand ORDER BY rows DESC, day DESC, brand) AS brand
FROM (
  SELECT lower(trim(brand)) AS brand_key, brand, sum(rows) AS rows, max(day) AS day FROM row_count
  WHERE day <= coalesce(getvariable('last_day'), DATE 'infinity') GROUP BY brand
)
GROUP BY brand_key;

-- The lines of an own list (`--skus`), which is JSON: binding a list of structures would take longer than answering.
CREATE MACRO own_line(own_list) AS TABLE
SELECT unnest(
  own_list::JSON::STRUCT(line VARCHAR, own_retailer VARCHAR, own_sku VARCHAR, quantity VARCHAR, target_price VARCHAR, note VARCHAR)[],
  recursive := true);

-- The products on it, whatever the case and the outer spaces of their skus. A line without a retailer means every retailer that
-- has the sku.
CREATE MACRO own_product(own_list) AS TABLE
SELECT product, line::INTEGER AS line, own_retailer, quantity::DECIMAL(9, 3) AS quantity,
  nullif(target_price, '')::DECIMAL(18, 4) AS target_price, nullif(note, '') AS note
FROM product JOIN own_line(own_list) ON lower(trim(sku)) = lower(own_sku) AND own_retailer IN ('', retailer);

-- What the filters match. `days`: the retailers that count, each with its days. A list that is null matches all.
CREATE MACRO scope(days, departments, categories, combinations, brands, own_list) AS TABLE
SELECT listing, retailer, first_day, since, last_day, today, target_price, note
FROM listing
JOIN (
  SELECT unnest(days::STRUCT(retailer VARCHAR, first_day DATE, since DATE, last_day DATE, today DATE)[], recursive := true)
) USING (retailer)
LEFT JOIN own_product(own_list) own USING (product)
WHERE (own_list IS NULL OR own.product IS NOT NULL)
  AND (departments IS NULL OR list_contains(departments::VARCHAR[], department))
  AND (categories IS NULL OR list_contains(categories::VARCHAR[], category))
  AND (combinations IS NULL OR list_contains(combinations::VARCHAR[], retailer || ':' || category || ':' || department))
  AND (brands IS NULL OR list_contains([lower(trim(name)) FOR name IN brands::VARCHAR[]], brand_key));

-- The number of rows that the filters match, by retailer and day.
CREATE MACRO matching_rows(days, departments, categories, combinations, brands) AS TABLE
SELECT retailer, day, since, sum(rows)::BIGINT AS rows
FROM row_count
JOIN (SELECT unnest(days::STRUCT(retailer VARCHAR, first_day DATE, since DATE, last_day DATE)[], recursive := true)) USING (retailer)
WHERE day BETWEEN first_day AND last_day
  AND (departments IS NULL OR list_contains(departments::VARCHAR[], department))
  AND (categories IS NULL OR list_contains(categories::VARCHAR[], category))
  AND (combinations IS NULL OR list_contains(combinations::VARCHAR[], retailer || ':' || category || ':' || department))
  AND (brands IS NULL OR list_contains([lower(trim(name)) FOR name IN brands::VARCHAR[]], lower(trim(brand))))
GROUP BY ALL;

-- The observations that the filters match, up to the newest day of their retailer.
CREATE MACRO observed(days, departments, categories, combinations, brands, own_list) AS TABLE
SELECT product, day, next_day, listing, currency, mrp, selling_price, discount_pct, series, first_day, since, last_day, today,
  target_price, note
FROM observation JOIN scope(days, departments, categories, combinations, brands, own_list) USING (listing)
WHERE day <= last_day;

-- The last observation of each product. The first condition follows from the second; it only keeps rows out of the joins.
CREATE MACRO last_observed(days, departments, categories, combinations, brands, own_list) AS TABLE
FROM observed(days, departments, categories, combinations, brands, own_list)
WHERE coalesce(next_day > list_min([d.last_day FOR d IN days::STRUCT(last_day DATE)[]]), true)
  AND coalesce(next_day > last_day, true);

-- above / below with six decimals, exact, halves rounded away from zero; null of a division by zero. Both are prices or counts.
CREATE MACRO ratio(above, below) AS
CASE WHEN below <> 0 THEN (
  (2 * sign(below)::HUGEINT * (above::DECIMAL(33, 4) * 10000::DECIMAL(5, 0))::HUGEINT * 1000000
    + sign(above)::HUGEINT * (below::DECIMAL(30, 4) * 10000::DECIMAL(5, 0))::HUGEINT)
  // (2 * abs((below::DECIMAL(30, 4) * 10000::DECIMAL(5, 0))::HUGEINT))
)::DECIMAL(32, 0) * 0.000001::DECIMAL(6, 6) END;

-- A part of a whole in percent, exact like ratio.
CREATE MACRO percent_of(part, whole) AS ratio(part::DECIMAL(30, 4) * 100::DECIMAL(3, 0), whole);

-- The mean of `count` numbers whose total is not negative, exact like ratio.
CREATE MACRO mean(total, count) AS
CASE WHEN count > 0 THEN (
  (2 * (total::DECIMAL(24, 12) * 1000000000000::DECIMAL(13, 0))::HUGEINT + count::HUGEINT * 1000000)
  // (2 * count::HUGEINT * 1000000)
)::DECIMAL(30, 0) * 0.000001::DECIMAL(7, 6) END::DECIMAL(37, 6);

-- What sorts texts by their UTF-16 code units: characters above U+DFFF come after those that take two units.
CREATE MACRO in_code_units(text) AS regexp_replace(text, '([\x{E000}-\x{FFFF}])', chr(1114111) || '\1', 'g');

-- The difference of two prices, which may have a digit more than a price.
CREATE MACRO difference_of(price, price_before) AS price::DECIMAL(20, 4) - price_before;

-- A change of a price in percent; null if the earlier price is zero.
CREATE MACRO percent_change(price, price_before) AS percent_of(difference_of(price, price_before), price_before);

-- The last day of the period that a day is in. Date arithmetic, because adding an INTERVAL makes a timestamp, which is much slower.
CREATE MACRO end_of_period(period, day) AS
CASE period WHEN 'month' THEN last_day(day) WHEN 'week' THEN date_trunc('week', day)::DATE + 6 ELSE day END;

-- A discount as an exact number; null of a product without one, and of a discount of a million percent or more.
CREATE MACRO exact_discount(discount_pct) AS CASE WHEN discount_pct > 0 THEN TRY_CAST(discount_pct AS DECIMAL(18, 12)) END;

-- The reference price (Directive 98/6/EC, article 6a) of the last prices in the relation `lasts`: product, series and day.
-- `present_since`: the first day of the latest run of observations with this price.
CREATE MACRO reference_price(lasts) AS TABLE
WITH present AS (
  SELECT product, any_value(series) AS series, max(o.day) AS present_since
  -- DISTINCT changes no row: it tells the optimizer that they are few, so that it hashes them and not all observations.
  FROM (SELECT DISTINCT product, series, day FROM query_table(lasts)) l JOIN observation o USING (product, series)
  WHERE o.day <= l.day AND o.is_new_price GROUP BY product
), before AS (
  SELECT product,
    min(selling_price) FILTER (day >= present_since - 30 OR next_day > present_since - 30) AS lowest,
    sum(greatest(0, least(next_day, day + 8) - greatest(day, present_since - 30))) AS reference_days
  FROM present JOIN observation USING (product, series)
  -- Seven days before the thirty are enough for reference_days, fourteen for the price in force at their beginning.
  WHERE day BETWEEN present_since - 44 AND present_since - 1
  GROUP BY product
)
SELECT product, present_since, coalesce(reference_days, 0)::INTEGER AS reference_days,
  CASE WHEN reference_days >= 24 THEN lowest END AS reference_price
FROM present LEFT JOIN before USING (product);

-- For each retailer, the last day that has a usual number of rows: 56 days after its last row.
CREATE MACRO last_judged_day(until) AS TABLE
SELECT retailer, least(last_row + 56, until::DATE) AS last_judged
FROM (SELECT retailer, max(day) AS last_row FROM row_count WHERE day <= until::DATE GROUP BY retailer);

-- A row for each retailer and day, from its first row to `until`, but at most to 56 days after its last one: a mistyped year must not
-- make a million days. `usual_rows`: the upper quartile of the 56 days before.
CREATE MACRO retailer_day(until) AS TABLE
WITH counted AS (
  SELECT retailer, day, sum(rows)::BIGINT AS rows FROM row_count WHERE day <= until::DATE GROUP BY ALL
), calendar AS (
  SELECT retailer, unnest(generate_series(first_day, last_judged, INTERVAL 1 DAY))::DATE AS day
  FROM (SELECT retailer, min(day) AS first_day FROM counted GROUP BY retailer) JOIN last_judged_day(until) USING (retailer)
)
SELECT retailer, day, coalesce(rows, 0) AS rows,
  CASE WHEN count(rows) OVER before >= 5 THEN quantile_cont(rows::DECIMAL(14, 2), 0.75) OVER before END AS usual_rows
FROM calendar LEFT JOIN counted USING (retailer, day)
-- ROWS, not RANGE: the calendar has a row for every day.
WINDOW before AS (PARTITION BY retailer ORDER BY day ROWS BETWEEN 56 PRECEDING AND 1 PRECEDING);

-- As retailer_day, for the categories in the relation `seen`, whose columns are retailer, department, category and last_seen (a day
-- with rows). Days before the earliest last_seen of a category are not reliable. Where a category has too few rows to tell
-- whether a day is good, its retailer decides; a day of which nothing is known is neither good nor bad.
CREATE MACRO category_day(seen, until) AS TABLE
WITH wanted AS (
  SELECT retailer, department, category, min(last_seen) AS since FROM query_table(seen) GROUP BY ALL
), counted AS (
  SELECT retailer, department, category, day, sum(rows)::BIGINT AS rows
  FROM row_count JOIN wanted USING (retailer, department, category)
  WHERE day BETWEEN since - 56 AND until::DATE GROUP BY ALL
), calendar AS (
  SELECT retailer, department, category, unnest(generate_series(first_day, last_judged, INTERVAL 1 DAY))::DATE AS day
  FROM (SELECT retailer, department, category, min(day) AS first_day FROM counted GROUP BY ALL)
  JOIN last_judged_day(until) USING (retailer)
), usual AS (
  SELECT calendar.*, coalesce(rows, 0) AS rows,
    CASE WHEN count(rows) OVER before >= 5 THEN quantile_cont(rows::DECIMAL(14, 2), 0.75) OVER before END AS usual_rows
  FROM calendar LEFT JOIN counted USING (retailer, department, category, day)
  WINDOW before AS (PARTITION BY retailer, department, category ORDER BY day ROWS BETWEEN 56 PRECEDING AND 1 PRECEDING)
)
SELECT retailer, department, category, day, usual.rows, usual.usual_rows,
  CASE WHEN usual.usual_rows >= 5 THEN 2 * usual.rows >= usual.usual_rows ELSE 2 * r.rows >= r.usual_rows END AS is_good
FROM usual JOIN retailer_day(until) r USING (retailer, day);

-- Why the products in the relation `lost` are missing: `gone`, `not_crawled` or `unknown`. Its columns are product and end_day: the
-- product is missing from its last row to end_day. `last_seen`: the day of that row.
CREATE MACRO missing_reason(lost, until) AS TABLE
WITH days AS (
  -- The last six days with an observation, and those with another row, which few have. Grouped by the product alone, so that the
  -- optimizer knows that they are few.
  SELECT product, any_value(end_day) AS end_day, max(day, 6) FILTER (excluded IS NULL) AS observed,
    max(DISTINCT day, 6) FILTER (excluded IS NOT NULL) AS other
  FROM price JOIN (SELECT product, end_day FROM query_table(lost)) USING (product) WHERE day <= end_day GROUP BY product
), rhythm AS (
  -- The longest of the last five pauses.
  SELECT product, end_day, last_days[1] AS last_seen,
    coalesce(list_max([last_days[n] - last_days[n + 1] FOR n IN range(1, least(len(last_days), 6))]), 1) AS longest
  FROM (
    SELECT *, CASE WHEN other IS NULL THEN observed
      ELSE list_reverse_sort(list_distinct(list_concat(observed, other))) END AS last_days
    FROM days
  )
), last AS (
  SELECT rhythm.*, retailer, department, category, least(end_day, last_judged) AS judged_day
  FROM rhythm JOIN (
    SELECT product, arg_min(price.listing, place) AS listing
    FROM price JOIN rhythm USING (product) WHERE day = last_seen GROUP BY product
  ) USING (product) JOIN listing USING (product, listing) JOIN last_judged_day(until) USING (retailer)
), known_day AS (
  -- Counting what is not null, because DuckDB counts rows with a FILTER anew for each row of a window.
  SELECT retailer, department, category, day,
    count(CASE WHEN is_good THEN 1 END) OVER so_far AS good, count(CASE WHEN NOT is_good THEN 1 END) OVER so_far AS bad
  FROM category_day('last', until)
  WINDOW so_far AS (PARTITION BY retailer, department, category ORDER BY day)
), missed AS (
  SELECT product, last.end_day, last_seen, longest, max(good) - min(good) AS good, max(bad) - min(bad) AS bad
  FROM (SELECT *, unnest([last_seen, judged_day]) AS day FROM last) last JOIN known_day USING (retailer, department, category, day)
  GROUP BY ALL
)
SELECT product, end_day, last_seen,
  CASE
    WHEN good >= greatest(3, 2 * longest) THEN 'gone'
    WHEN good < longest AND bad > 0 THEN 'not_crawled'
    ELSE 'unknown'
  END AS reason
FROM missed;

-- As retailer_day, up to 28 days after its last row: `share` of the usual rows, and whether its crawl failed (`outage`). A day
-- without rows is an outage after more such days in a row than its longest pause that occurred twice in the 56 days before.
CREATE MACRO retailer_outage(until) AS TABLE
WITH counted AS (
  SELECT *, max(day) FILTER (rows > 0) OVER (PARTITION BY retailer ORDER BY day) AS last_crawled FROM retailer_day(until)
), pause AS (
  SELECT *, last_crawled - before_pause - 1 AS length
  FROM (
    SELECT retailer, last_crawled, lag(day) OVER (PARTITION BY retailer ORDER BY day) AS before_pause
    FROM counted WHERE rows > 0
  )
  WHERE length > 0
), usual_pause AS (
  SELECT retailer, last_crawled, max(length) AS longest
  FROM (
    SELECT retailer, empty.last_crawled, length
    FROM (SELECT DISTINCT retailer, last_crawled FROM counted WHERE rows = 0) empty JOIN pause USING (retailer)
    WHERE pause.last_crawled <= empty.last_crawled AND before_pause >= empty.last_crawled - 56
    GROUP BY ALL HAVING count(*) >= 2
  )
  GROUP BY ALL
)
SELECT retailer, day, rows, usual_rows, ratio(rows, usual_rows) AS share,
  coalesce(2 * rows < usual_rows AND (rows > 0 OR day - last_crawled > coalesce(longest, 0)), false) AS outage
FROM counted LEFT JOIN usual_pause USING (retailer, last_crawled)
WHERE day <= last_crawled + 28;
