-- The tables of `catalog sql`. "crawled row" has the rows of the day files, each with its `place` in the file, and "observed row" the
-- observations up to the newest day: a table of the user may have any name of the index, but none with a space.
CREATE TEMP VIEW rows AS SELECT * EXCLUDE (place) FROM "crawled row";

CREATE TEMP VIEW days AS
SELECT crawl_date, count(*) AS rows, count(DISTINCT retailer) AS retailers,
  count(DISTINCT (retailer, category, department)) AS combinations
FROM rows GROUP BY ALL ORDER BY crawl_date;

CREATE TEMP VIEW combinations AS
SELECT retailer, category, department, count(*) AS rows, count(DISTINCT sku) AS products, min(crawl_date) AS first_day,
  max(crawl_date) AS last_day
FROM rows GROUP BY ALL ORDER BY ALL;

CREATE TEMP VIEW prices_daily AS
SELECT * EXCLUDE (place) FROM "crawled row"
SEMI JOIN (SELECT day AS crawl_date, place FROM "observed row") USING (crawl_date, place);

CREATE TEMP VIEW latest AS
SELECT * EXCLUDE (place) FROM "crawled row"
SEMI JOIN (
  SELECT day AS crawl_date, place FROM "observed row" WHERE coalesce(next_day > $last_day, true)
) USING (crawl_date, place);

CREATE TEMP VIEW changes AS
WITH step AS (
  SELECT day AS crawl_date, place, series, selling_price AS price, currency AS own_currency,
    lag(day) OVER before AS previous_date, lag(selling_price) OVER before AS previous_price,
    lag(currency) OVER before AS previous_currency, lag(series) OVER before AS previous_series
  FROM "observed row"
  WINDOW before AS (PARTITION BY product ORDER BY day)
)
SELECT crawl_date, retailer, department, category, sku, brand, title, currency, selling_price, previous_date,
  previous_price::DOUBLE AS previous_price, previous_currency,
  CASE WHEN series = previous_series THEN difference_of(price, previous_price) END::DOUBLE AS change,
  CASE WHEN series = previous_series THEN percent_change(price, previous_price) END::DOUBLE AS percent
FROM "crawled row" JOIN step USING (crawl_date, place)
WHERE price <> previous_price OR own_currency <> previous_currency;
