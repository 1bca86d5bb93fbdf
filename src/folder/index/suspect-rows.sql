-- Finds the suspect rows of `unmarked`: a price of zero or below, and a price that is at least `suspect_factor` times above or below
-- the usual one, which is the median of the price and the seven before and after it, of the same product and currency. A price that
-- comes four times in a row is not suspect, nor is one of a product with fewer than three prices. If the variable is null, no row is
-- suspect.

CREATE TEMP TABLE suspect AS
WITH far_apart AS (
  SELECT product, currency FROM unmarked WHERE selling_price > 0 GROUP BY ALL
  HAVING count(*) >= 3 AND max(selling_price) >= min(selling_price)::DECIMAL(20, 4) * getvariable('suspect_factor')
), beside AS (
  SELECT product, currency, day, place, selling_price,
    -- A fifth decimal, for the mean of two prices.
    median(selling_price::DECIMAL(22, 5)) OVER (around ROWS BETWEEN 7 PRECEDING AND 7 FOLLOWING) AS usual,
    row_number() OVER around
      - row_number() OVER (PARTITION BY product, currency, selling_price ORDER BY day, place) AS run
  FROM unmarked SEMI JOIN far_apart USING (product, currency)
  WHERE selling_price > 0
  WINDOW around AS (PARTITION BY product, currency ORDER BY day, place)
), counted AS (
  SELECT *, count(*) OVER (PARTITION BY product, currency, selling_price, run) AS repeated FROM beside
)
SELECT product, day, place FROM counted
WHERE repeated < 4
  AND (selling_price::DECIMAL(20, 4) * getvariable('suspect_factor') <= usual
    OR selling_price >= usual * getvariable('suspect_factor'))
UNION ALL
SELECT product, day, place FROM unmarked WHERE selling_price <= 0 AND getvariable('suspect_factor') IS NOT NULL;
